/**
 * Finds words of commands and constants that a text binds as names, as in `(lemma IO : Nat)`. If Lean knows the word as
 * a command, it is a keyword, and a text that binds it is a syntax error. Otherwise it is a name.
 */

import { type Token, tokenize } from '@stp/lean-text';
import { LOCAL_NAMES } from './forbidden.ts';

const OPENERS: ReadonlySet<string> = new Set(['(', '{', '[', '⦃']);
/** Words directly followed by names. */
const BINDING: ReadonlySet<string> = new Set(
  '∀ ∃ λ Π Σ fun intro intros rintro rename_i let have letI haveI suffices obtain generalize set'.split(' '),
);

/** Tokens that may stand between a binding word and a name in its pattern, as in `obtain ⟨a, b⟩`. */
const PATTERN: ReadonlySet<string> = new Set(['⟨', '⟩', ',', '|']);
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', '}': '{', ']': '[', '⦄': '⦃' };

/** Maximum number of tokens between a binding word and a name. */
const LOOKED_BACK_MAX = 200;

/** Returns the names that are bound in the texts above another text: in a header or a statement. */
export function namesBoundIn(...texts: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(
    texts.flatMap((text) => {
      const tokens = tokenize(text ?? '').filter(({ kind }) => kind !== 'comment');
      return [...localNames(text ?? '', tokens)];
    }),
  );
}

/** `tokens` must not contain comments. */
export function localNames(text: string, tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (!LOCAL_NAMES.has(token.text) || names.has(token.text)) continue;
    if (isInGroup(tokens, index) || isBound(text, tokens, index)) names.add(token.text);
  }
  return names;
}

/**
 * Whether the word is in a group `(a WORD b : T)`: only words up to a colon that does not begin `:=`, and only words
 * back to a bracket.
 */
export function isInGroup(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [edge(tokens, index, -1), edge(tokens, index, 1)];
  return OPENERS.has(tokens[before]?.text ?? '') && tokens[after]?.text === ':' && tokens[after + 1]?.text !== '=';
}

/** Whether the word is a name here. A command begins a line and is followed by its own name. */
export function isName(text: string, tokens: readonly Token[], index: number): boolean {
  const [token, next] = [tokens[index]!, tokens[index + 1]];
  if (next === undefined || isInGroup(tokens, index) || isBound(text, tokens, index)) return true;
  const before = tokens[index - 1];
  const isFirst = before === undefined || text.slice(before.end, token.start).includes('\n');
  return !isFirst || (next.kind !== 'word' && next.text !== '⟨') || text.slice(token.end, next.start).includes('\n');
}

/**
 * Whether a word is bound: it is on the line of a binding word, with only names, bracketed groups and pattern signs
 * between.
 */
function isBound(text: string, tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= Math.max(0, index - LOOKED_BACK_MAX); at -= 1) {
    const [token, next] = [tokens[at]!, tokens[at + 1]!];
    if (text.slice(token.end, next.start).includes('\n')) return false;
    if (BINDING.has(token.text)) return true;
    const opener = CLOSERS[token.text];
    if (opener !== undefined) while (at > 0 && tokens[at]!.text !== opener) at -= 1;
    else if (token.kind !== 'word' && !PATTERN.has(token.text)) return false;
  }
  return false;
}

/** Returns the index of the first token in a direction that is not a name. */
function edge(tokens: readonly Token[], index: number, step: 1 | -1): number {
  let at = index + step;
  while (tokens[at]?.kind === 'word' && !BINDING.has(tokens[at]!.text)) at += step;
  return at;
}
