/**
 * Prints names of compiled constants as people write them: private ones without their prefix, unusual components in «».
 */
import { ANONYMOUS, type Name, type NameTable } from '../name.ts';

const PRIVATE = '_private';
const PLAIN_PART = /^[\p{L}_][\p{L}\p{N}_'!?₀-₉ₐ-ₜᵢ-ᵪ]*$/u;

/** Whether the name is private: `_private.M.0.f` is the private constant `f` of the module `M`. */
export function isPrivate(names: NameTable, name: Name): boolean {
  return names.parts(name)[0] === PRIVATE;
}

/** Returns the name without the prefix of private names. */
export function publicName(names: NameTable, name: Name): Name {
  const parts = names.parts(name);
  if (parts[0] !== PRIVATE) return name;
  const mark = parts.findIndex((part) => typeof part === 'bigint');
  return parts
    .slice(mark + 1)
    .reduce(
      (prefix, part) => (typeof part === 'string' ? names.text(prefix, part) : names.number(prefix, part)),
      ANONYMOUS,
    );
}

/** Different names print differently: a component that is not an identifier, such as a number, is in «». */
export function displayName(names: NameTable, name: Name): string {
  const parts = names
    .parts(name)
    .map((part) => (typeof part === 'bigint' ? String(part) : PLAIN_PART.test(part) ? part : `«${part}»`));
  return parts.length === 0 ? '[anonymous]' : parts.join('.');
}

/** Matches last components of names that Lean gives to constants that it derives on demand for tactics. */
const DERIVED =
  /^(?:eq_\d+|eq_def|eq_unfold|match_\d+(?:_\d+)*|splitter|(?:mutual_)?induct(?:_unfolding)?|fun_cases(?:_unfolding)?|congr_simp(?:_\d+)?|hcongr_\d+|congr_eq_\d+|injEq|inj|sizeOf_spec|noConfusion\w*|ctorIdx\w*|elim|casesOn|recOn|rec\w*|below\w*|brecOn\w*|_sizeOf_\w+|_sunfold|_unfold|_f|_unary|_mutual|_proof_\d+(?:_\d+)*|_simp_\d+(?:_\d+)*|_sparseCasesOn_\d+\w*|else_eq|arity|partial_correctness|fixpoint_induct)$/;

/** Whether Lean itself gives names with this last component. */
export const isDerivedPart = (part: string): boolean => DERIVED.test(part);
