/**
 * Axioms by name: those that every proof may depend on, and those that no proof may depend on. Also parses the answers
 * of `#print axioms`.
 */

/** Axioms that any proof in Lean's own library may use. */
export const STANDARD_AXIOMS: ReadonlySet<string> = new Set(['propext', 'Quot.sound', 'Classical.choice']);

/** Never allowed, not even if the toolchain's library declares them. */
const UNPROVED = /(?:^|\.)(?:sorryAx|ofReduceBool|ofReduceNat|trustCompiler)(?:$|\.)|\._native\.|native_decide/;

/** Whether a constant of the toolchain states a fact that no kernel has checked. */
export const isUnproved = (name: string): boolean => UNPROVED.test(name);

const NONE = /^'[^\n]*' does not depend on any axioms$/;
const SOME = /^'[^\n]*' depends on axioms: \[([^[\]]*)\]$/;
/** Returns the axioms by name, or null if the text is not such an answer. */
export function parseAxioms(text: string): string[] | null {
  if (NONE.test(text)) return [];
  const list = SOME.exec(text)?.[1];
  return list === undefined ? null : list.split(/,\s+/).map((name) => name.trim());
}

export function isSorry(axioms: readonly string[]): boolean {
  return axioms.some((name) => /(?:^|\.)sorryAx$/.test(name));
}
