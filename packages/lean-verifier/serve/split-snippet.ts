/**
 * Splits a snippet, which is a whole file, into imports and commands. The imports choose the process, because snippets
 * can share loaded modules. `open` and `set_option` stay in the body: reading them again costs nothing, while as part
 * of the key every variant would need a process of its own.
 *
 * The imports keep their order and stay unchanged. Kimina's server turns `import Mathlib.Order.Basic` into `import
 * Mathlib`, which has other names and other instances.
 *
 * A Lean process ends when its imports change. So the header ends with two commands that have no effect: however a body
 * begins, Lean cannot read it as further imports.
 */
import { readHeader, type Token, tokenize } from '@stp/lean-text';
import { positionsOf } from './positions.ts';
import type { WirePosition } from './wire.ts';

export interface SplitSnippet {
  /**
   * The imports, one per line, without comments and repetitions, followed by the two closing commands. Without imports:
   * the modules that Lean imports by itself.
   */
  readonly header: string;
  /**
   * The rest of the snippet. Blanks fill its first line up to the end of the imports, so that columns stay the same.
   */
  readonly body: string;
  /**
   * The position at which Lean fails to read the imports, or null. If it is set, `header` is the snippet's text up to
   * there and `body` is empty; opening a process gives Lean's error.
   */
  readonly broken: WirePosition | null;
  /** Converts a line that a process reported for header and body (1-based) to a line of the snippet (1-based). */
  readonly lineOf: (reported: number) => number;
  /** The inverse of `lineOf`, for lines below the imports. */
  readonly reportedLineOf: (line: number) => number;
  /** Tokens of the whole snippet, including comments. */
  readonly allTokens: readonly Token[];
}

/** The import of a file without imports. */
const IMPLICIT_IMPORT = 'import Init';
/** An empty section, which leaves no scope and no message. */
const END_OF_IMPORTS = ' section Imports end Imports';

/** `code` must contain line feeds only. */
export function splitSnippet(code: string): SplitSnippet {
  const allTokens = tokenize(code);
  const { commands, end, broken } = readHeader(code, allTokens);
  if (broken !== null) {
    // A line feed follows the header. A carriage return directly before it would become part of the line ending.
    const header = code.slice(0, broken.end).replace(/\r$/, '\r ');
    const [first, last] = positionsOf(code, [broken.start, Math.min(broken.end, code.length)]);
    const within = (line: number): number => Math.min(line, last!.line);
    return { header, body: '', broken: first!, lineOf: within, reportedLineOf: within, allTokens };
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
