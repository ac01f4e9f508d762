/**
 * Eta rules: a function equals the abstraction of its application; a value of a structure equals the constructor
 * applied to its projections; all values of a structure without fields are equal.
 */
import { structureConstructor } from '../environment.ts';
import { type Expr, FORALL, LAMBDA } from '../expr.ts';
import { argumentCount } from '../spine.ts';
import type { Checker } from './checker.ts';

export function etaEqual(checker: Checker, left: Expr, right: Expr): boolean {
  return etaExpanded(checker, left, right) || etaExpanded(checker, right, left);
}

function etaExpanded(checker: Checker, lambda: Expr, other: Expr): boolean {
  const { terms, inference, reduction, equality } = checker;
  if (terms.kind(lambda) !== LAMBDA || terms.kind(other) === LAMBDA) return false;
  const type = reduction.whnf(inference.infer(other));
  if (terms.kind(type) !== FORALL) return false;
  const expanded = terms.lambda(terms.binderType(type), terms.application(other, terms.bound(0)));
  return equality.isEqual(lambda, expanded);
}

export function structureEtaEqual(checker: Checker, left: Expr, right: Expr): boolean {
  return equalsConstructor(checker, left, right) || equalsConstructor(checker, right, left);
}

/** Whether `right` is the constructor of a structure applied to the projections of `left`. */
function equalsConstructor(checker: Checker, left: Expr, right: Expr): boolean {
  const { terms, environment, inference, reduction, equality } = checker;
  const name = reduction.headName(right);
  const maker = name === -1 ? undefined : environment.find(name);
  if (maker?.kind !== 'constructor') return false;
  if (argumentCount(terms, right) !== maker.parameters + maker.fields) return false;
  if (structureConstructor(environment, maker.inductive) === null) return false;
  if (!equality.isEqual(inference.infer(left), inference.infer(right))) return false;
  return checker
    .argumentsOf(right)
    .slice(maker.parameters)
    .every((field, at) => equality.isEqual(terms.projection(maker.inductive, at, left), field));
}

export function unitLikeEqual(checker: Checker, left: Expr, right: Expr): boolean {
  const { environment, inference, reduction, equality } = checker;
  const type = reduction.whnf(inference.infer(left));
  const name = reduction.headName(type);
  if (name === -1 || structureConstructor(environment, name)?.fields !== 0) return false;
  return equality.isEqual(type, inference.infer(right));
}
