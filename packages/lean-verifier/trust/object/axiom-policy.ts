/**
 * The axioms that a theorem may depend on: Lean's three standard axioms and, with an assembled Lean, the library
 * theorems whose proofs are missing.
 */
import type { AxiomUse, CheckedConstant } from '@stp/lean-kernel';
import { isUnproved, STANDARD_AXIOMS } from '../verdict/axioms.ts';

const SHOWN_MAX = 20;

/** An objection to a theorem. */
export interface Objection {
  readonly text: string;
  /** The kind of forbidden dependency, if that is the objection. */
  readonly restsOn?: 'sorry' | 'axioms' | 'another proof';
}

/** Returns why the axioms of a theorem are not allowed, or null. */
export function axiomObjection({ axioms }: CheckedConstant, toleratesLibraryAxioms: boolean): Objection | null {
  if (axioms.some(isSorry)) return { text: 'rests on `sorry`', restsOn: 'sorry' };
  const refused = axioms.filter((axiom) => !isAllowed(axiom, toleratesLibraryAxioms)).map(({ name }) => name);
  if (refused.length === 0) return null;
  const text = `rests on axioms that are not allowed: ${refused.sort().slice(0, SHOWN_MAX).join(', ')}`;
  return { text, restsOn: 'axioms' };
}

export const isSorry = ({ name }: AxiomUse): boolean => name === 'sorryAx';

function isAllowed({ name, from }: AxiomUse, toleratesLibraryAxioms: boolean): boolean {
  if (from !== 'toolchain') return false;
  return STANDARD_AXIOMS.has(name) || (toleratesLibraryAxioms && !isUnproved(name));
}

/** All axioms that the constant depends on, sorted. */
export const axiomNames = (constant: CheckedConstant | undefined): string[] =>
  (constant?.axioms ?? []).map(({ name }) => name).sort();
