/**
 * Describes constants of other libraries (core, Std, Mathlib) that a statement mentions, as far as tactics can use them:
 * definitions that `simp` unfolds, predicates, and the solvers that `grind` has under the statement's imports.
 */
import {
  type CompiledLibrary,
  displayName,
  type Expr,
  FORALL,
  LAMBDA,
  type Name,
  PROJECTION,
  SORT,
  type Terms,
} from '@stp/lean-kernel';
import { mentionsInOrder } from './mentions.ts';
import type { ContextPredicate } from './statement-context.ts';

/**
 * Returns the predicates that a type mentions, in order, classes among them. Defined ones of our own modules are left
 * out, since the context describes these.
 *
 * @param core constants of other libraries
 */
export function predicatesIn(
  terms: Terms,
  library: CompiledLibrary,
  type: Expr,
  core: ReadonlySet<Name>,
): ContextPredicate[] {
  return mentionsInOrder(terms, [type]).flatMap((name): ContextPredicate[] => {
    const its = library.constant(name);
    const shown = displayName(terms.names, name);
    if (its === null || !canBeWritten(shown) || CONNECTIVES.has(shown) || !endsInPropositions(terms, its.type))
      return [];
    if (its.kind === 'inductive') {
      const constructors = its.constructors.map((one) => displayName(terms.names, one));
      return [{ name: shown, constructors }];
    }
    const isDefined = its.kind === 'definition' && core.has(name) && !isClassOperation(terms, its.value);
    return isDefined ? [{ name: shown, constructors: [] }] : [];
  });
}

/** Whether no part of a name was made by Lean, as that of a private constant was. */
const canBeWritten = (shown: string): boolean => !/(?:^|\.)_/u.test(shown);

const CONNECTIVES = new Set('And Or Not Iff Eq Ne HEq Exists True False GE.ge GT.gt'.split(' '));

function endsInPropositions(terms: Terms, type: Expr): boolean {
  let sort = type;
  while (terms.kind(sort) === FORALL) sort = terms.body(sort);
  return terms.kind(sort) === SORT && terms.level(sort) === terms.levels.zero;
}

/**
 * Returns the functions among some constants that `simp` may unfold: neither instances, nor operations of a class, nor
 * made by Lean. Each is followed by the auxiliary ones that it calls, such as `List.countP.go`.
 */
export function unfoldableIn(terms: Terms, library: CompiledLibrary, names: readonly Name[]): Name[] {
  const bodyOf = (name: Name): Expr | null => {
    const its = library.constant(name);
    return its?.kind === 'definition' && hasFunctionName(displayName(terms.names, name)) ? its.value : null;
  };
  const found = names.flatMap((name): Name[] => {
    const value = bodyOf(name);
    if (value === null || isClassOperation(terms, value)) return [];
    const called = mentionsInOrder(terms, [value]);
    return [name, ...called.filter((other) => terms.names.prefix(other) === name && bodyOf(other) !== null)];
  });
  return [...new Set(found)];
}

function hasFunctionName(shown: string): boolean {
  const dot = shown.lastIndexOf('.');
  const isFunction = dot > 0 && !NEVER_UNFOLDED.test(shown.slice(dot + 1));
  return isFunction && canBeWritten(shown) && !shown.startsWith('Decidable.');
}

/** Whether a value takes a field of its last argument, as that of `LE.le` does. */
function isClassOperation(terms: Terms, value: Expr): boolean {
  let body = value;
  while (terms.kind(body) === LAMBDA) body = terms.body(body);
  return terms.kind(body) === PROJECTION;
}

/**
 * Matches last components of the names of types, instances, and constants that Lean makes for a type or a `match`.
 * (`isDerivedPart` has `elim` too, but `Option.elim` is a function like others.)
 */
const NEVER_UNFOLDED = /^(?:\P{Ll}|inst\P{Ll}|dec\P{Ll}|match_\d|(?:cases|rec|brec|below)(?:On)?$|noConfusion)/u;

/** Whether a function's value mentions `cond` (`bif`), which `grind` splits only if `Bool.cond_eq_ite` rewrites it. */
export function mentionsCond(terms: Terms, library: CompiledLibrary, name: Name): boolean {
  const its = library.constant(name);
  return its?.kind === 'definition' && mentionsInOrder(terms, [its.value]).includes(terms.names.of('cond'));
}

/**
 * Solvers of `grind`, each with a constant that it needs. Modules at the foundation of Lean's library come before some
 * of these. There `grind` fails as soon as it needs a solver, but can do without.
 */
const SOLVERS: readonly { readonly needs: readonly string[]; readonly off: string }[] = [
  { needs: ['Lean.Grind.CommRing.Expr', 'Lean.Grind.Order.nat_eq'], off: ' -ring -order -linarith' },
  { needs: ['Lean.Grind.CommRing', 'Int'], off: ' -lia' },
];

/** Returns `grind`, without the solvers that the imports lack. */
export function grindUnder(has: (name: string) => boolean): string {
  return `grind${SOLVERS.flatMap(({ needs, off }) => (needs.every(has) ? [] : [off])).join('')}`;
}
