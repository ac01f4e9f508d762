/**
 * Finds the comments and literals of Lean source. Handles nested comments, escapes, raw and interpolated strings,
 * character literals and `«…»` names, but not terms or notations. Masked texts keep their length and their line breaks,
 * so offsets stay valid.
 */

export interface MaskedSource {
  /** The source with comments replaced by blanks. */
  readonly withoutComments: string;
  /** The source with comments, and the contents of string and character literals, replaced by blanks. */
  readonly code: string;
}

const IDENTIFIER_CHARACTER = /[\p{L}\p{N}_'!?₀-₉]/u;

export function maskSource(source: string): MaskedSource {
  const withoutComments = [...splitUnits(source)];
  const code = [...withoutComments];
  const blank = (characters: string[], start: number, end: number) => {
    for (let index = start; index < end; index++) if (source[index] !== '\n') characters[index] = ' ';
  };
  let index = 0;
  while (index < source.length) {
    const previousIsName = index > 0 && IDENTIFIER_CHARACTER.test(source[index - 1]!);
    const two = source.slice(index, index + 2);
    const raw = previousIsName ? null : /^r(#*)"/.exec(source.slice(index, index + 40));
    if (two === '--' || two === '/-') {
      const end = two === '--' ? endOfLine(source, index) : endOfBlockComment(source, index);
      blank(withoutComments, index, end);
      blank(code, index, end);
      index = end;
    } else if (raw !== null) {
      const start = index + raw[0].length;
      const close = source.indexOf(`"${raw[1]}`, start);
      const end = close < 0 ? source.length : close;
      blank(code, start, end);
      index = end + 1 + raw[1]!.length;
    } else if (source[index] === '"') {
      const end = endOfString(source, index + 1);
      blank(code, index + 1, end);
      index = end + 1;
    } else if (source[index] === "'" && !previousIsName) {
      const literal = /^'(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|[^\\'\n])'/u.exec(source.slice(index, index + 12));
      if (literal !== null) blank(code, index + 1, index + literal[0].length - 1);
      index += literal?.[0].length ?? 1;
    } else if (source[index] === '«') {
      const close = source.indexOf('»', index);
      index = close < 0 ? source.length : close + 1;
    } else {
      index++;
    }
  }
  return { withoutComments: withoutComments.join(''), code: code.join('') };
}

/** Returns the 1-based line of an offset. */
export function lineAt(source: string, position: number): number {
  let line = 1;
  for (let index = source.indexOf('\n'); index >= 0 && index < position; index = source.indexOf('\n', index + 1))
    line++;
  return line;
}

/** Yields UTF-16 units one by one. Spreading a string would join surrogate pairs and shift offsets. */
function* splitUnits(source: string): Generator<string> {
  for (let index = 0; index < source.length; index++) yield source[index]!;
}

function endOfLine(source: string, start: number): number {
  const end = source.indexOf('\n', start);
  return end < 0 ? source.length : end;
}

function endOfBlockComment(source: string, start: number): number {
  let depth = 0;
  let index = start;
  while (index < source.length) {
    const two = source.slice(index, index + 2);
    if (two === '/-') depth++;
    else if (two === '-/') depth--;
    index += two === '/-' || two === '-/' ? 2 : 1;
    if (depth === 0) return index;
  }
  return source.length;
}

/** Returns the offset of the closing quote, or the end of the text. */
function endOfString(source: string, start: number): number {
  for (let index = start; index < source.length; index++) {
    if (source[index] === '\\') index++;
    else if (source[index] === '"') return index;
  }
  return source.length;
}
