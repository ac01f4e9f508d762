/** Finds texts that can see names of other theorems, or what Lean makes for a theorem while it reads the statement. */
import { nameParts, type Token } from '@stp/lean-text';

/** Words after which Lean may continue if something was not found, or run what a text says. */
const TRIES: ReadonlySet<string> = new Set(['by', 'match', 'nomatch', 'do', 'rec', 'open']);
/** Matches names that Lean makes for a theorem: `match_1`, `_proof_1`, `eq_2`, `_aux`. */
const MADE = /^_.|_\d+$/u;

/**
 * Whether a text may be read differently beside other theorems, or may mention what Lean makes for one. This is so for
 * tactics and patterns, for names that Lean makes, and for the last component of a theorem's name. The header counts as
 * text too, since it can open a namespace.
 */
export function canSeeNames(tokens: readonly Token[], ends: ReadonlyMap<string, unknown>): boolean {
  return tokens.some(
    ({ kind, text }) =>
      kind === 'word' && (TRIES.has(text) || nameParts(text).some((part) => ends.has(part) || MADE.test(part))),
  );
}

/**
 * Removes the word `open` of commands. Within brackets it belongs to a variable, which Lean reads again for each
 * theorem.
 */
export function withoutOpens(tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.filter(({ text }) => {
    if ('([{⟨⦃'.includes(text)) depth += 1;
    if (')]}⟩⦄'.includes(text)) depth -= 1;
    return text !== 'open' || depth > 0;
  });
}
