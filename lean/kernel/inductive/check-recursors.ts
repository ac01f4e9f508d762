/**
 * Type-checks recursors after they were derived, over the block's constants as they will be declared. Whatever went wrong in the
 * derivation (a wrong count of fields, a binder that lost its type, a nested type restored to something else), a recursor whose
 * type is none, or whose rule does not keep the type, is rejected.
 *
 * For `Nat.rec` and its rule for `Nat.succ`: with local variables `motive`, `zero`, `succ` and a field `n`, the term
 * `Nat.rec motive zero succ (Nat.succ n)` and the rule's value, `succ n (Nat.rec motive zero succ n)`, both have the type
 * `motive (Nat.succ n)`.
 */
import type { Checker } from '../check/checker.ts';
import type { RecursorRule } from '../declaration.ts';
import type { RecursorConstant } from '../environment.ts';
import { CONSTANT, type Expr, FORALL } from '../expr.ts';
import { apply, headOf } from '../spine.ts';
import { Rejection } from '../verdict.ts';

/** `checker` remembers nothing of the derivation, and its environment has the block's constants. */
export function checkRecursors(checker: Checker, recursors: readonly RecursorConstant[]): void {
  for (const recursor of recursors) {
    checker.levelParams = recursor.levelParams;
    checker.inference.checkType(recursor.type);
    for (const rule of recursor.rules) checkRule(checker, recursor, rule);
  }
}

function checkRule(checker: Checker, recursor: RecursorConstant, rule: RecursorRule): void {
  const { terms, environment, substitution, inference, equality } = checker;
  const { parameters, motives, minors, indices } = recursor;
  const label = terms.names.print(recursor.name);
  const refusal = (why: string): Rejection =>
    new Rejection('recursor', `${label}, rule for ${terms.names.print(rule.constructor)}: ${why}`);
  /** New variables for the next binders of a telescope, put in; and the rest of it. */
  const open = (telescope: Expr, count: number): { readonly locals: Expr[]; readonly rest: Expr } => {
    const locals: Expr[] = [];
    let rest = telescope;
    for (; locals.length < count; rest = terms.body(rest)) {
      if (terms.kind(rest) !== FORALL) throw refusal(`fewer than ${count} binders`);
      locals.push(checker.local(substitution.instantiate(terms.binderType(rest), locals)));
    }
    return { locals, rest: substitution.instantiate(rest, locals) };
  };
  const outer = open(recursor.type, parameters + motives + minors);
  const inner = open(outer.rest, indices + 1);
  const type = checker.localType(inner.locals.at(-1)!);
  const head = headOf(terms, type);
  const inductive = terms.kind(head) === CONSTANT ? environment.get(terms.name(head)) : null;
  const maker = environment.get(rule.constructor);
  if (inductive?.kind !== 'inductive' || maker.kind !== 'constructor' || maker.inductive !== inductive.name)
    throw refusal('it is no constructor of the type that the recursor takes apart');
  if (maker.fields !== rule.fields) throw refusal(`${rule.fields} fields, not ${maker.fields}`);
  const list = terms.levelList(head);
  const makerType = substitution.instantiateLevels(maker.type, maker.levelParams, terms.levels.array(list));
  const given = checker.argumentsOf(type).slice(0, maker.parameters);
  let below = makerType;
  for (let at = 0; at < given.length; at++) {
    if (terms.kind(below) !== FORALL) throw refusal('its type has too few parameters');
    below = terms.body(below);
  }
  const fields = open(substitution.instantiate(below, given), maker.fields);
  const levels = terms.levels.list(recursor.levelParams.map((name) => terms.levels.parameter(name)));
  const made = apply(terms, apply(terms, terms.constant(maker.name, list), given), fields.locals);
  let left = apply(terms, terms.constant(recursor.name, levels), outer.locals);
  left = apply(terms, left, checker.argumentsOf(fields.rest), maker.parameters);
  left = terms.application(left, made);
  const right = apply(terms, apply(terms, rule.value, outer.locals), fields.locals);
  if (!equality.isEqual(inference.check(left), inference.check(right))) throw refusal('it changes the type');
}
