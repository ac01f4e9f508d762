/** Reads the answer of `#print axioms` and says which of the axioms are not allowed. */

/** Every proof in Lean's own library may rest on these. */
export const STANDARD_AXIOMS: ReadonlySet<string> = new Set(['propext', 'Quot.sound', 'Classical.choice']);

/** Never tolerated, not even where the toolchain's library declares them. */
const UNPROVED = /(?:^|\.)(?:sorryAx|ofReduceBool|ofReduceNat|trustCompiler)(?:$|\.)|\._native\.|native_decide/;

const NONE = /^'[^\n]*' does not depend on any axioms$/;
const SOME = /^'[^\n]*' depends on axioms: \[([^[\]]*)\]$/;
/** A name as Lean prints it without «»: what an honest library holds. */
const PLAIN_NAME = /^[^\s«»'",()[\]{}]+(?:'+[^\s«»",()[\]{}]*)*$/u;

/** Axioms by name, or null where the text is no such answer. */
export function parseAxioms(text: string): string[] | null {
  if (NONE.test(text)) return [];
  const list = SOME.exec(text)?.[1];
  return list === undefined ? null : list.split(/,\s+/).map((name) => name.trim());
}

export function isSorry(axioms: readonly string[]): boolean {
  return axioms.some((name) => /(?:^|\.)sorryAx$/.test(name));
}

/** Axioms that may only count where the toolchain's own library holds them; the rest is decided by name. */
export function splitAxioms(
  axioms: readonly string[],
  toleratesLibraryAxioms: boolean,
): { refused: string[]; asked: string[] } {
  const refused: string[] = [];
  const asked: string[] = [];
  for (const name of axioms) {
    if (STANDARD_AXIOMS.has(name)) continue;
    const mayBeLibrary =
      toleratesLibraryAxioms && PLAIN_NAME.test(name) && !UNPROVED.test(name) && !/_stp|_private/.test(name);
    (mayBeLibrary ? asked : refused).push(name);
  }
  return { refused, asked };
}
