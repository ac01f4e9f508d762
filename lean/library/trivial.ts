/**
 * Closes what needs no idea: the two sides are the same, it is a hypothesis, it is a finite check, or arithmetic does
 * it. `simp` runs with what is marked for it, and no tactic here names a lemma. One `first`, cheapest first, since
 * starting a candidate costs as much as a tactic that fails.
 */
const TRIVIAL_TACTICS = ['rfl', 'assumption', 'decide', 'omega', '(simp <;> fail)'];

/** Tactics, cheapest first. */
export const firstOf = (tactics: readonly string[]): string => `first\n  | ${tactics.join('\n  | ')}`;

/** A tactic block that proves what needs no idea. */
export const TRIVIAL_PROOF = `intros\n${firstOf(TRIVIAL_TACTICS)}`;
