/**
 * The four constants of quotient types. Their types are fixed: a file must declare exactly these. `Quot.lift` and
 * `Quot.ind` compute on `Quot.mk` (`check/recursor-reduction.ts`), which is sound only for these types.
 */
import type { Checker } from '../check/checker.ts';
import type { ConstantHead, QuotientRole } from '../declaration.ts';
import type { Expr } from '../expr.ts';
import type { Level } from '../level.ts';
import type { Name } from '../name.ts';
import { apply } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import { knownNames } from './names.ts';

export function checkQuotient(checker: Checker, head: ConstantHead, role: QuotientRole): void {
  const { terms, environment, substitution } = checker;
  const known = knownNames(terms.names);
  environment.requireFree(head.name);
  const names: Record<QuotientRole, Name> = {
    type: known.quot,
    ctor: known.quotMk,
    lift: known.quotLift,
    ind: known.quotInd,
  };
  const label = terms.names.print(names[role]);
  if (head.name !== names[role]) throw new Rejection('quotient', `a constant of quotients is not named ${label}`);
  const count = role === 'lift' ? 2 : 1;
  if (head.levelParams.length !== count || new Set(head.levelParams).size !== count)
    throw new Rejection('level-parameters', `${label} has ${count} universe parameters`);
  if (role !== 'type') {
    const quotient = environment.get(known.quot);
    if (quotient.kind !== 'quotient') throw new Rejection('quotient', 'Quot is not the type of quotients');
  }
  if (role === 'ind') {
    const maker = environment.get(known.quotMk);
    if (maker.kind !== 'quotient') throw new Rejection('quotient', 'Quot.mk is not the constructor of quotients');
  }
  if (role === 'lift' && !checker.special.isEquality())
    throw new Rejection('quotient', 'Eq is not the type of equality');
  const [u, v] = ['u', 'v'].map((name) => terms.levels.parameter(terms.names.of(name))) as [Level, Level];
  const renamed = substitution.instantiateLevels(head.type, head.levelParams, [u, v].slice(0, count));
  if (renamed !== quotientType(checker, role, u, v))
    throw new Rejection('quotient', `${label} does not have the type that it must have`);
}

/** Builds the type with local variables and abstracts these again. */
function quotientType(checker: Checker, role: QuotientRole, u: Level, v: Level): Expr {
  const { terms } = checker;
  const known = knownNames(terms.names);
  const { levels } = terms;
  const ofU = levels.list([u]);
  const prop = terms.sort(levels.zero);
  const carrier = checker.local(terms.sort(u));
  const relation = checker.local(terms.forall(carrier, terms.forall(carrier, prop)));
  const quotient = apply(terms, terms.constant(known.quot, ofU), [carrier, relation]);
  const make = (value: Expr): Expr => apply(terms, terms.constant(known.quotMk, ofU), [carrier, relation, value]);
  switch (role) {
    case 'type':
      return checker.forallOver([carrier, relation], terms.sort(u));
    case 'ctor':
      return checker.forallOver([carrier, relation], terms.forall(carrier, quotient));
    case 'lift': {
      const target = checker.local(terms.sort(v));
      const fn = checker.local(terms.forall(carrier, target));
      const [a, b] = [checker.local(carrier), checker.local(carrier)];
      const related = checker.local(apply(terms, relation, [a, b]));
      const equal = apply(terms, terms.constant(known.eq, levels.list([v])), [
        target,
        terms.application(fn, a),
        terms.application(fn, b),
      ]);
      const respects = checker.local(checker.forallOver([a, b, related], equal));
      return checker.forallOver([carrier, relation, target, fn, respects], terms.forall(quotient, target));
    }
    default: {
      const motive = checker.local(terms.forall(quotient, prop));
      const a = checker.local(carrier);
      const onMakes = checker.local(checker.forallOver([a], terms.application(motive, make(a))));
      const value = checker.local(quotient);
      return checker.forallOver([carrier, relation, motive, onMakes, value], terms.application(motive, value));
    }
  }
}
