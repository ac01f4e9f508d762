/**
 * Splits a snippet, which is a whole file, into imports and commands. The imports choose its process, because snippets
 * may share the loaded modules; everything else belongs to the snippet. `open` and `set_option` stay in the body: they
 * cost nothing to read again, and as part of the key every other spelling of them would need a process of its own.
 *
 * The imports stay as they are, in their order. Kimina's server turns `import Mathlib.Order.Basic` into `import
 * Mathlib`, which has other names and other instances; this one does not.
 *
 * A process of Lean ends when its imports change. So they are closed by two commands that leave nothing: whatever a
 * body begins with, Lean cannot read it as more imports.
 */
import { readHeader, type Token, tokenize } from '@stp/lean-text';
import { positionsOf } from './positions.ts';
import type { WirePosition } from './wire.ts';

export interface SplitSnippet {
  /**
   * The imports, one a line, without comments and repetitions, and what closes them; without imports, the modules that
   * Lean imports by itself.
   */
  readonly header: string;
  /** The rest of the snippet. Its first line is filled with blanks up to where the imports ended. */
  readonly body: string;
  /**
   * Null, or the place where Lean fails to read the imports. `header` is then the snippet's text up to there and `body`
   * is empty: opening a process says why.
   */
  readonly broken: WirePosition | null;
  /** Line of the snippet (1-based) for a line that a process reported for header and body (1-based). */
  readonly lineOf: (reported: number) => number;
  /** The other way round, for lines below the imports. */
  readonly reportedLineOf: (line: number) => number;
  /** Tokens of the whole snippet, comments included. */
  readonly allTokens: readonly Token[];
}

/** The import of a file without imports. */
const IMPLICIT_IMPORT = 'import Init';
/** An empty section: no scope and no message is left of it. */
const END_OF_IMPORTS = ' section Imports end Imports';

/** `code` has line feeds only. */
export function splitSnippet(code: string): SplitSnippet {
  const allTokens = tokenize(code);
  const { commands, end, broken } = readHeader(code, allTokens);
  if (broken !== null) {
    // A line feed comes behind the header, and would make a lone carriage return a part of a line's end.
    const header = code.slice(0, broken.end).replace(/\r$/, '\r ');
    const [place, last] = positionsOf(code, [broken.start, Math.min(broken.end, code.length)]);
    const within = (line: number): number => Math.min(line, last!.line);
    return { header, body: '', broken: place!, lineOf: within, reportedLineOf: within, allTokens };
  }
  const positions = positionsOf(code, [...commands.map(({ start }) => start), end]);
  const last = positions.pop()!;
  const lines = new Map<string, number>();
  for (const [index, { text }] of commands.entries()) if (!lines.has(text)) lines.set(text, positions[index]!.line);
  const starts = [...lines.values()];
  const headerLines = Math.max(1, lines.size);
  const shift = last.line - 1 - headerLines;
  return {
    header: (lines.size === 0 ? IMPLICIT_IMPORT : [...lines.keys()].join('\n')) + END_OF_IMPORTS,
    body: ' '.repeat(last.column) + code.slice(end),
    broken: null,
    lineOf: (reported) => (reported <= headerLines ? (starts[reported - 1] ?? 1) : reported + shift),
    reportedLineOf: (line) => line - shift,
    allTokens,
  };
}
