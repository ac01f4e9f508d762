/**
 * The axioms that a theorem may rest on: Lean's three, with an assembled Lean the theorems that its library has without
 * proofs, and for a proof of a problem set what the set assumes.
 */
import type { AxiomUse, CheckedConstant } from '@stp/lean-kernel';
import { isUnproved, STANDARD_AXIOMS } from '../verdict/axioms.ts';

const SHOWN_MAX = 20;

export interface AllowedAxioms {
  readonly toleratesLibraryAxioms: boolean;
  /** May it rest on the assumptions of a problem set? A file that a person wrote may not. */
  readonly mayAssume: boolean;
}

/** Why the axioms of a theorem are not allowed, or null. */
export function axiomObjection({ axioms }: CheckedConstant, allowed: AllowedAxioms): string | null {
  if (axioms.some(isSorry)) return 'rests on `sorry`';
  const refused = axioms.filter((axiom) => !isAllowed(axiom, allowed)).map(({ name }) => name);
  if (refused.length === 0) return null;
  return `rests on axioms that are not allowed: ${refused.sort().slice(0, SHOWN_MAX).join(', ')}`;
}

export const isSorry = ({ name }: AxiomUse): boolean => name === 'sorryAx';

function isAllowed({ name, from }: AxiomUse, { toleratesLibraryAxioms, mayAssume }: AllowedAxioms): boolean {
  if (from === 'assumption') return mayAssume;
  if (from !== 'toolchain') return false;
  return STANDARD_AXIOMS.has(name) || (toleratesLibraryAxioms && !isUnproved(name));
}

/** The assumptions of a problem set that it rests on, sorted. */
export const assumedNames = (constant: CheckedConstant | undefined): string[] =>
  (constant?.axioms ?? []).flatMap(({ name, from }) => (from === 'assumption' ? [name] : [])).sort();

/** All axioms it rests on, sorted. */
export const axiomNames = (constant: CheckedConstant | undefined): string[] =>
  (constant?.axioms ?? []).map(({ name }) => name).sort();
