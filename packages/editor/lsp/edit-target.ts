/**
 * Determines from the text where a suggestion goes if the cursor is at a position in a tactic block. Lean then decides
 * whether a tactic can stand there.
 */

export interface Position {
  readonly line: number;
  /** UTF-16 units. */
  readonly character: number;
}

export interface EditTarget {
  /** The file up to the beginning of the tactic, as it is checked. */
  readonly context: string;
  readonly prefix: string;
  readonly range: { readonly start: Position; readonly end: Position };
  /** Returns the text that replaces the range. */
  newText(tactic: string): string;
}

/** Matches what may precede the tactic of a line: bullets, alternatives. */
const LEAD = /^\s*(?:(?:[·.]|<;>)\s+|\|[^=]*=>\s*|case [^=]*=>\s*)*/u;
const OPENS_BLOCK = /(?:\bby|=>)\s*$/u;
const ONLY_BULLET = /^\s*(?:[·.]\s*)+$/u;
const SORRY = /(?<![\w.'])sorry(?![\w.'])/gu;
const TERM_BEFORE = /(?::=|\bfrom|⟨|,|\()\s*$/u;
/** Text after it is a comment. A string with such dashes is rare, and only hides a hole. */
const COMMENT = /--/u;
const INDENT = 2;

/** @param isBroken whether Lean reports an error on the cursor's line other than remaining goals */
export function editTarget(text: string, { line, character }: Position, isBroken: boolean): EditTarget {
  const lines = text.split('\n').map((one) => one.replace(/\r$/u, ''));
  const current = lines[line] ?? '';
  const above = (end: Position): string =>
    [...lines.slice(0, end.line), lines[end.line]!.slice(0, end.character)].join('\n');
  const hole = [...current.matchAll(SORRY)].find(({ index }) => index <= character && character <= index + 5);
  if (hole !== undefined && !COMMENT.test(current.slice(0, hole.index))) {
    const start = { line, character: hole.index };
    const opening = TERM_BEFORE.test(current.slice(0, hole.index)) ? 'by ' : '';
    return put(above(start) + opening, start, { line, character: hole.index + 5 }, opening);
  }
  if (current.trim() === '') {
    // In some editor modes a cursor cannot stand after the last blank.
    const column = current.length > 0 ? current.length : columnBelow(lines.slice(0, line));
    const indent = ' '.repeat(column);
    const before = lines.slice(0, line).map((one) => `${one}\n`);
    return put(before.join('') + indent, { line, character: 0 }, { line, character: current.length }, indent);
  }
  const end = { line, character: current.trimEnd().length };
  if (ONLY_BULLET.test(current)) return put(`${above(end)} `, end, { line, character: current.length }, ' ');
  if (OPENS_BLOCK.test(current)) return below(line, indentOf(current) + INDENT);
  const lead = LEAD.exec(current)![0];
  let last = line;
  while (last + 1 < lines.length && lines[last + 1]!.trim() !== '' && indentOf(lines[last + 1]!) > columns(lead))
    last += 1;
  if (isBroken) {
    const start = { line, character: lead.length };
    const prefix = current.slice(lead.length, Math.max(lead.length, character));
    return { ...put(above(start), start, { line: last, character: lines[last]!.length }, ''), prefix };
  }
  return below(last, columns(lead));

  function below(at: number, column: number): EditTarget {
    const indent = `\n${' '.repeat(column)}`;
    const from = { line: at, character: lines[at]!.length };
    return put(above(from) + indent, from, from, indent);
  }
}

/** Lines of a tactic begin in the column in which the text before it ends. */
function put(context: string, start: Position, end: Position, before: string): EditTarget {
  const indent = ' '.repeat(columns(context.slice(context.lastIndexOf('\n') + 1)));
  const newText = (tactic: string): string => before + tactic.replaceAll('\n', `\n${indent}`);
  return { context, prefix: '', range: { start, end }, newText };
}

/** Returns the number of columns as Lean counts them: in code points, not in UTF-16 units. */
const columns = (text: string): number => Array.from(text).length;
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Returns the column of a tactic below these lines. */
function columnBelow(lines: readonly string[]): number {
  const last = lines.findLast((line) => line.trim() !== '') ?? '';
  return OPENS_BLOCK.test(last) ? indentOf(last) + INDENT : columns(LEAD.exec(last)![0]);
}
