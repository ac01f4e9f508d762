/**
 * Cuts `termination_by` and `decreasing_by` from a tactic block. They belong to the theorem, so they must follow the
 * brackets around the block. Each gets brackets of its own, so that it ends where we end it.
 */

import { type Token, tokenize } from '@stp/lean-text';
import type { Finding } from './finding.ts';

const CLAUSES = ['termination_by', 'decreasing_by'];
const OPENERS = '([{⟨⦃⟦‹';
const CLOSERS = ')]}⟩⦄⟧›';

export interface CutProof {
  /** The block without the clauses that were cut off. */
  readonly block: string;
  /** The clauses, to be written after the block. Missing if there are none. */
  readonly ending?: string;
}

/**
 * `printed` is a screened tactic block. The clauses begin at the first of their keywords that is outside brackets and
 * not indented deeper than the block; a deeper one belongs to a local function (`let rec`).
 */
export function cutEnding(printed: string): CutProof | Finding {
  if (!CLAUSES.some((word) => printed.includes(word))) return { block: printed };
  const tokens = tokenize(printed);
  const starts = clauseStarts(printed, tokens);
  if (starts.length === 0) return { block: printed };
  const words = starts.map((index) => tokens[index]!.text);
  const at = tokens[starts[0]!]!.start;
  if (starts[0] === 0 || words.join() !== CLAUSES.filter((word) => words.includes(word)).join())
    return { offset: at, reason: `${words[0]} stands behind a block once, and decreasing_by behind termination_by` };
  const clauses = starts.map((start, index) => clauseText(printed, tokens.slice(start, starts[index + 1])));
  return { block: printed.slice(0, at).trimEnd(), ending: clauses.join('\n') };
}

/** Returns the indices of the keywords. */
function clauseStarts(printed: string, tokens: readonly Token[]): number[] {
  const columnOf = ({ start }: Token): number => start - (printed.lastIndexOf('\n', start - 1) + 1);
  const column = columnOf(tokens[0]!);
  const starts: number[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'symbol' && OPENERS.includes(token.text)) depth += 1;
    if (token.kind === 'symbol' && CLOSERS.includes(token.text)) depth -= 1;
    const begins = depth === 0 && CLAUSES.includes(token.text) && (starts.length > 0 || columnOf(token) <= column);
    if (begins) starts.push(index);
  }
  return starts;
}

/** Prints `termination_by x y => (TERM)` or `decreasing_by (TACTICS)`. The text in brackets keeps its columns. */
function clauseText(printed: string, tokens: readonly Token[]): string {
  const head = headLength(tokens);
  const from = tokens[head - 1]!.end;
  const to = tokens.at(-1)!.end;
  const column = [...printed.slice(printed.lastIndexOf('\n', from - 1) + 1, from)].length;
  const words = printed.slice(tokens[0]!.start, from).replace(/\s+/gu, ' ');
  return `${words} (\n${' '.repeat(column)}${printed.slice(from, to)}\n)`;
}

/** Counts the keyword and, for `termination_by`, also `structural` and the names up to `=>`. */
function headLength(tokens: readonly Token[]): number {
  if (tokens[0]!.text !== 'termination_by') return 1;
  const structural = tokens[1]?.text === 'structural' ? 2 : 1;
  let at = structural;
  while (tokens[at]?.kind === 'word') at += 1;
  return tokens[at]?.text === '=' && tokens[at + 1]?.text === '>' ? at + 2 : structural;
}
