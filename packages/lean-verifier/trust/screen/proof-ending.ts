/**
 * Cuts `termination_by` and `decreasing_by` off a tactic block: they belong to the theorem, so they stand behind the
 * brackets around the block. Each is put into brackets of its own, so that it ends where we end it.
 */

import { type Token, tokenize } from '@stp/lean-text';
import type { Finding } from './finding.ts';

const CLAUSES = ['termination_by', 'decreasing_by'];
const OPENERS = '([{⟨⦃⟦‹';
const CLOSERS = ')]}⟩⦄⟧›';

export interface CutProof {
  /** The block as it was, without what was cut off. */
  readonly block: string;
  /** Ready to be written behind the block; missing where there is none. */
  readonly ending?: string;
}

/**
 * `printed`: a screened tactic block. The clauses begin at the first of their keywords that stands outside brackets and no
 * further right than the block; one further right belongs to a local function (`let rec`).
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
  const clauses = starts.map((start, place) => clauseText(printed, tokens.slice(start, starts[place + 1])));
  return { block: printed.slice(0, at).trimEnd(), ending: clauses.join('\n') };
}

/** Indexes of the keywords. */
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

/** `termination_by x y => (TERM)`, `decreasing_by (TACTICS)`; what is in brackets keeps its columns. */
function clauseText(printed: string, tokens: readonly Token[]): string {
  const head = headLength(tokens);
  const from = tokens[head - 1]!.end;
  const to = tokens.at(-1)!.end;
  const column = [...printed.slice(printed.lastIndexOf('\n', from - 1) + 1, from)].length;
  const words = printed.slice(tokens[0]!.start, from).replace(/\s+/gu, ' ');
  return `${words} (\n${' '.repeat(column)}${printed.slice(from, to)}\n)`;
}

/** The keyword, and of `termination_by` also `structural` and the names up to `=>`. */
function headLength(tokens: readonly Token[]): number {
  if (tokens[0]!.text !== 'termination_by') return 1;
  const structural = tokens[1]?.text === 'structural' ? 2 : 1;
  let at = structural;
  while (tokens[at]?.kind === 'word') at += 1;
  return tokens[at]?.text === '=' && tokens[at + 1]?.text === '>' ? at + 2 : structural;
}
