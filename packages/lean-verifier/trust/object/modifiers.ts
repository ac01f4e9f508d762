/** Attributes (`@[…]`) and modifiers such as `private` before the keyword of a declaration. */
import { MODIFIERS, type Token } from '@stp/lean-text';

/**
 * Returns the index of the first attribute or modifier before the word at `index`, or `index` if there are none.
 * `tokens` must not contain comments.
 */
export function firstModifier(tokens: readonly Token[], index: number): number {
  let first = index;
  while (MODIFIERS.has(tokens[first - 1]?.text ?? '')) first -= 1;
  if (tokens[first - 1]?.text !== ']') return first;
  let at = first - 1;
  for (let depth = 0; at >= 0; at -= 1) {
    if (tokens[at]!.text === ']') depth += 1;
    if (tokens[at]!.text === '[') depth -= 1;
    if (depth === 0) break;
  }
  return tokens[at - 1]?.text === '@' ? at - 1 : first;
}
