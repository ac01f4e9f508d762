/**
 * Translates Mathlib statements to core Lean statements of the same meaning, by textual rules. The rules cover only the
 * notions of the Natural Number Game and of miniF2F's arithmetic part; other statements are rewritten by hand in a
 * set's `rewrites.json`.
 */

const ATOM = '(?:[a-z]\\w*(?: \\d+)?|\\([^()]*\\))';

/** Applied in order. `Even e` is `∃ r, e = r + r` and `Odd e` is `∃ r, e = 2 * r + 1`, as Mathlib defines them. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/ℕ/gu, 'Nat'],
  [/ℤ/gu, 'Int'],
  [/>=/gu, '≥'],
  [/\\\//gu, '∨'],
  [/\bsucc\b/gu, 'Nat.succ'],
  [/([\w()]+) ≡ ([\w()]+) \[MOD (\d+)\]/gu, '$1 % $3 = $2 % $3'],
  [new RegExp(`\\bEven (${ATOM})`, 'gu'), '(∃ r, $1 = r + r)'],
  [new RegExp(`\\bOdd (${ATOM})`, 'gu'), '(∃ r, $1 = 2 * r + 1)'],
];

/** `[from, to]` pairs; each `from` must occur in the text. */
export type Rewrites = readonly (readonly [string, string])[];

/**
 * Returns `text` on one line, after the manual rewrites, then the rules. Throws if a rewrite does not apply: the
 * source has changed.
 */
export function toCoreLean(text: string, rewrites: Rewrites): string {
  let result = text.replace(/\s+/gu, ' ').trim();
  for (const [from, to] of rewrites) {
    if (!result.includes(from)) throw new Error(`rewrite finds no ${JSON.stringify(from)} in ${JSON.stringify(text)}`);
    result = result.replaceAll(from, to);
  }
  for (const [pattern, replacement] of RULES) result = result.replace(pattern, replacement);
  return result;
}
