/**
 * The type of a projection `e.i`: the type of field `i`, with the parameters of `e`'s type and the earlier projections
 * substituted. From a proof one may project only proofs, and only fields that do not depend on an earlier data field:
 * otherwise two equal proofs would have different projections.
 */
import { type Expr, FORALL } from '../expr.ts';
import { headOf } from '../spine.ts';
import { Rejection } from '../verdict.ts';
import type { Checker } from './checker.ts';
import { describe } from './describe.ts';

export function projectionType(checker: Checker, expr: Expr, valueType: Expr): Expr {
  const { terms, environment, reduction, substitution, inference } = checker;
  const structure = terms.name(expr);
  const refuse = (why: string): never => {
    throw new Rejection('projection', `${describe(checker, expr)}: ${why}`);
  };
  const type = reduction.whnf(valueType);
  const given = checker.argumentsOf(type);
  const inductive = environment.get(structure);
  if (inductive.kind !== 'inductive') return refuse(`${terms.names.print(structure)} is not an inductive type`);
  if (reduction.headName(type) !== structure)
    return refuse(`its value has type ${describe(checker, type)}, not ${terms.names.print(structure)}`);
  if (inductive.constructors.length !== 1) return refuse('the type does not have exactly one constructor');
  if (given.length !== inductive.parameters + inductive.indices) return refuse('the type is not fully applied');
  const maker = environment.get(inductive.constructors[0]!);
  let rest = substitution.instantiateLevels(
    maker.type,
    maker.levelParams,
    terms.levels.array(terms.levelList(headOf(terms, type))),
  );
  const binder = (): Expr => {
    if (terms.kind(rest) !== FORALL) rest = reduction.whnf(rest);
    return terms.kind(rest) === FORALL ? rest : refuse(`there is no field ${terms.fieldIndex(expr)}`);
  };
  for (let at = 0; at < inductive.parameters; at++)
    rest = substitution.instantiate(terms.body(binder()), given, at, at + 1);
  const isProof = inference.isProposition(type);
  for (let field = 0; field < terms.fieldIndex(expr); field++) {
    const body = terms.body(binder());
    if (terms.looseBound(body) > 0) {
      if (isProof && !inference.isProposition(terms.binderType(rest)))
        return refuse('a field of a proof that depends on data');
      rest = substitution.instantiate(body, [terms.projection(structure, field, terms.projected(expr))]);
    } else rest = body;
  }
  const field = terms.binderType(binder());
  if (isProof && !inference.isProposition(field)) return refuse('data from a proof');
  return field;
}
