/** Which texts can look at names of other theorems, or at what Lean makes for a theorem while it reads its statement. */
import { nameParts, type Token } from '@stp/lean-text';

/** Words below which Lean may go on where something was not found, or does what a text says. */
const TRIES: ReadonlySet<string> = new Set(['by', 'match', 'nomatch', 'do', 'rec', 'open']);
/** `match_1`, `_proof_1`, `eq_2`, `_aux`: names that Lean makes for a theorem. */
const MADE = /^_.|_\d+$/u;

/**
 * May a text read otherwise beside other theorems, or mention what Lean makes for one? So it is with tactics and patterns, with names
 * that Lean makes, and with a name that ends one of the theorems. The header is such a text too, since it can open a namespace.
 */
export function canSeeNames(tokens: readonly Token[], ends: ReadonlyMap<string, unknown>): boolean {
  return tokens.some(
    ({ kind, text }) =>
      kind === 'word' && (TRIES.has(text) || nameParts(text).some((part) => ends.has(part) || MADE.test(part))),
  );
}

/** Without the word `open` of commands: one in brackets is part of a variable, which Lean reads anew for each theorem. */
export function withoutOpens(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ text }) => {
    if ('([{⟨⦃'.includes(text)) depth += 1;
    if (')]}⟩⦄'.includes(text)) depth -= 1;
    return text !== 'open' || depth > 0;
  });
}
