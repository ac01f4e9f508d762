/**
 * Recognises Lean's three axioms by their statements: propositional extensionality, soundness of quotients and choice,
 * in terms of the correct equality, equivalence, quotients and non-emptiness. An axiom with the same name but another
 * statement is not a standard axiom.
 */
import type { Checker } from '../check/checker.ts';
import type { Constant } from '../environment.ts';
import type { Expr } from '../expr.ts';
import type { Level, LevelList } from '../level.ts';
import type { Name } from '../name.ts';
import { apply } from '../spine.ts';

/** Whether the constant is one of the three axioms, with its statement. */
export function isStandardAxiom(checker: Checker, constant: Constant): boolean {
  if (constant.kind !== 'axiom') return false;
  const { names } = checker.terms;
  switch (constant.name) {
    case names.of('propext'):
      return constant.levelParams.length === 0 && isExtensionality(checker, constant.type);
    case names.of('Quot.sound'):
      return constant.levelParams.length === 1 && isQuotientSoundness(checker, constant);
    case names.of('Classical.choice'):
      return constant.levelParams.length === 1 && isChoice(checker, constant);
    default:
      return false;
  }
}

/** `∀ a b : Prop, (a ↔ b) → a = b` */
function isExtensionality(checker: Checker, type: Expr): boolean {
  const { terms } = checker;
  const prop = terms.sort(terms.levels.zero);
  const [a, b] = [checker.local(prop), checker.local(prop)];
  const none = terms.levels.list([]);
  const both = apply(terms, constantOf(checker, 'Iff', none), [a, b]);
  const intro = checker.forallOver([a, b], terms.forall(terms.forall(a, b), terms.forall(terms.forall(b, a), both)));
  const equal = apply(terms, constantOf(checker, 'Eq', terms.levels.list([terms.levels.one])), [prop, a, b]);
  return (
    checker.special.isEquality() &&
    hasOneConstructor(checker, 'Iff', 'Iff.intro', () => [checker.forallOver([a, b], prop), intro]) &&
    type === checker.forallOver([a, b], terms.forall(both, equal))
  );
}

/** `∀ {α} {r} {a b : α}, r a b → Quot.mk r a = Quot.mk r b` */
function isQuotientSoundness(checker: Checker, { type, levelParams }: Constant): boolean {
  const { terms, environment } = checker;
  const level = terms.levels.parameter(levelParams[0]!);
  const list = terms.levels.list([level]);
  const carrier = checker.local(terms.sort(level));
  const prop = terms.sort(terms.levels.zero);
  const relation = checker.local(terms.forall(carrier, terms.forall(carrier, prop)));
  const [a, b] = [checker.local(carrier), checker.local(carrier)];
  const make = (value: Expr): Expr => apply(terms, constantOf(checker, 'Quot.mk', list), [carrier, relation, value]);
  const quotient = apply(terms, constantOf(checker, 'Quot', list), [carrier, relation]);
  const equal = apply(terms, constantOf(checker, 'Eq', list), [quotient, make(a), make(b)]);
  const related = apply(terms, relation, [a, b]);
  return (
    checker.special.isEquality() &&
    ['Quot', 'Quot.mk'].every((name) => environment.find(terms.names.of(name))?.kind === 'quotient') &&
    type === checker.forallOver([carrier, relation, a, b], terms.forall(related, equal))
  );
}

/** `∀ {α}, Nonempty α → α` */
function isChoice(checker: Checker, { type, levelParams }: Constant): boolean {
  const { terms } = checker;
  const nonempty = (level: Level, carrier: Expr): Expr =>
    terms.application(constantOf(checker, 'Nonempty', terms.levels.list([level])), carrier);
  const level = terms.levels.parameter(levelParams[0]!);
  const carrier = checker.local(terms.sort(level));
  return (
    hasOneConstructor(checker, 'Nonempty', 'Nonempty.intro', ([its]) => {
      if (its === undefined) return null;
      const own = terms.levels.parameter(its);
      const of = checker.local(terms.sort(own));
      const intro = checker.forallOver([of], terms.forall(of, nonempty(own, of)));
      return [checker.forallOver([of], terms.sort(terms.levels.zero)), intro];
    }) && type === checker.forallOver([carrier], terms.forall(nonempty(level, carrier), carrier))
  );
}

/**
 * Whether a name is an inductive type of this type with a single constructor of that type. `expected` receives the
 * type's universe parameters.
 */
function hasOneConstructor(
  checker: Checker,
  name: string,
  constructorName: string,
  expected: (levelParams: readonly Name[]) => readonly [type: Expr, constructorType: Expr] | null,
): boolean {
  const { terms, environment } = checker;
  const inductive = environment.find(terms.names.of(name));
  if (inductive?.kind !== 'inductive' || inductive.constructors.length !== 1) return false;
  const maker = environment.find(inductive.constructors[0]!);
  const types = expected(inductive.levelParams);
  return (
    types !== null &&
    maker?.name === terms.names.of(constructorName) &&
    inductive.type === types[0] &&
    maker.type === types[1]
  );
}

function constantOf({ terms }: Checker, name: string, levels: LevelList): Expr {
  return terms.constant(terms.names.of(name), levels);
}
