/**
 * Axioms by name: the ones that every proof may rest on, the ones that no proof may rest on, and the answers of `#print
 * axioms`.
 */

/** Every proof in Lean's own library may rest on these. */
export const STANDARD_AXIOMS: ReadonlySet<string> = new Set(['propext', 'Quot.sound', 'Classical.choice']);

/** Never tolerated, not even where the toolchain's library declares them. */
const UNPROVED = /(?:^|\.)(?:sorryAx|ofReduceBool|ofReduceNat|trustCompiler)(?:$|\.)|\._native\.|native_decide/;

/** Whether a constant of the toolchain stands for a fact that no kernel has checked. */
export const isUnproved = (name: string): boolean => UNPROVED.test(name);

const NONE = /^'[^\n]*' does not depend on any axioms$/;
const SOME = /^'[^\n]*' depends on axioms: \[([^[\]]*)\]$/;
/** Axioms by name, or null where the text is no such answer. */
export function parseAxioms(text: string): string[] | null {
  if (NONE.test(text)) return [];
  const list = SOME.exec(text)?.[1];
  return list === undefined ? null : list.split(/,\s+/).map((name) => name.trim());
}

export function isSorry(axioms: readonly string[]): boolean {
  return axioms.some((name) => /(?:^|\.)sorryAx$/.test(name));
}
