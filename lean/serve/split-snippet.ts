/**
 * Splits a snippet, which is a whole file, into imports and commands. The imports choose its process, because snippets
 * may share the loaded modules; everything else belongs to the snippet. `open` and `set_option` stay in the body: they
 * cost nothing to read again, and as part of the key every other spelling of them would need a process of its own.
 *
 * The imports stay as they are, in their order. Kimina's server turns `import Mathlib.Order.Basic` into `import
 * Mathlib`, which has other names and other instances; this one does not.
 */
import { type Token, tokenize } from '../trust/screen/tokenizer.ts';
import { positionsOf } from './positions.ts';

export interface SplitSnippet {
  /**
   * The imports, one a line, without comments and repetitions; without imports, the modules that Lean imports by
   * itself.
   */
  readonly header: string;
  /** The rest of the snippet. Its first line is filled with blanks up to where the imports ended. */
  readonly body: string;
  /** Line of the snippet (1-based) for a line that a process reported for header and body (1-based). */
  readonly lineOf: (reported: number) => number;
  /** The other way round, for lines below the imports. */
  readonly reportedLineOf: (line: number) => number;
  /** Of the whole snippet, comments included. */
  readonly allTokens: readonly Token[];
}

/** What a file without imports imports. */
const IMPLICIT_IMPORT = 'import Init';
const BEFORE_IMPORTS: ReadonlySet<string> = new Set(['module', 'prelude']);
const IMPORT_MODIFIERS: ReadonlySet<string> = new Set(['public', 'meta', 'private']);

/** `code` has line feeds only. */
export function splitSnippet(code: string): SplitSnippet {
  const allTokens = tokenize(code);
  const { parts, count } = readHeader(allTokens);
  const positions = positionsOf(code, [...parts.map((part) => part[0]!.start), allTokens[count - 1]?.end ?? 0]);
  const end = positions.pop()!;
  const lines = new Map<string, number>();
  for (const [index, part] of parts.entries()) {
    const text = part.map((token) => token.text).join(' ');
    if (!lines.has(text)) lines.set(text, positions[index]!.line);
  }
  const starts = [...lines.values()];
  const headerLines = Math.max(1, lines.size);
  const shift = end.line - 1 - headerLines;
  return {
    header: lines.size === 0 ? IMPLICIT_IMPORT : [...lines.keys()].join('\n'),
    body: ' '.repeat(end.column) + code.slice(allTokens[count - 1]?.end ?? 0),
    lineOf: (reported) => (reported <= headerLines ? (starts[reported - 1] ?? 1) : reported + shift),
    reportedLineOf: (line) => line - shift,
    allTokens,
  };
}

/** The header's commands as lists of tokens, and how many tokens of the text belong to it. */
function readHeader(tokens: readonly Token[]): { parts: Token[][]; count: number } {
  const parts: Token[][] = [];
  let count = 0;
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index]!;
    if (token.kind === 'comment') {
      // A documentation comment belongs to a command: Lean reads no import after it.
      if (/^\/-[-!]/.test(token.text)) break;
      index += 1;
      continue;
    }
    const part = readCommand(tokens, index, parts.length);
    if (part === null) break;
    parts.push(part.words);
    index = part.end;
    count = index;
  }
  return { parts, count };
}

/** The command of a header that starts at `start`; null if there is none. Comments between its words are left out. */
function readCommand(
  tokens: readonly Token[],
  start: number,
  position: number,
): { words: Token[]; end: number } | null {
  let index = start;
  const next = (): Token | undefined => {
    while (tokens[index]?.kind === 'comment') index += 1;
    return tokens[index++];
  };
  const first = next()!;
  if (BEFORE_IMPORTS.has(first.text)) return position < BEFORE_IMPORTS.size ? { words: [first], end: index } : null;
  const words: Token[] = [];
  let token: Token | undefined = first;
  while (token !== undefined && IMPORT_MODIFIERS.has(token.text)) {
    words.push(token);
    token = next();
  }
  if (token?.text !== 'import') return null;
  words.push(token);
  token = next();
  if (token?.text === 'all') {
    words.push(token);
    token = next();
  }
  if (token?.kind !== 'word') return null;
  return { words: [...words, token], end: index };
}
