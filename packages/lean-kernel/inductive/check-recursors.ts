/**
 * Type-checks recursors after their derivation, with the block's constants as they will be declared. Whatever went
 * wrong in the derivation (a wrong number of fields, a binder without its type, a wrongly restored nested type), a
 * recursor is rejected if its type is ill-typed, or if a rule does not preserve the type.
 *
 * Example: `Nat.rec` and its rule for `Nat.succ`. With local variables `motive`, `zero`, `succ` and a field `n`, the
 * term `Nat.rec motive zero succ (Nat.succ n)` and the rule's value, `succ n (Nat.rec motive zero succ n)`, both have
 * the type `motive (Nat.succ n)`.
 */
import type { Checker } from '../check/checker.ts';
import type { RecursorRule } from '../declaration.ts';
import type { RecursorConstant } from '../environment.ts';
import { CONSTANT, type Expr, FORALL } from '../expr.ts';
import { apply, headOf } from '../spine.ts';
import { Rejection } from '../verdict.ts';

/** `checker` must have empty caches, and its environment must contain the block's constants. */
export function checkRecursors(checker: Checker, recursors: readonly RecursorConstant[]): void {
  for (const recursor of recursors) new RecursorCheck(checker, recursor).run();
}

class RecursorCheck {
  readonly #checker: Checker;
  readonly #recursor: RecursorConstant;

  constructor(checker: Checker, recursor: RecursorConstant) {
    this.#checker = checker;
    this.#recursor = recursor;
    checker.levelParams = recursor.levelParams;
  }

  run(): void {
    const { parameters, motives, minors, indices, type, rules } = this.#recursor;
    this.#checker.inference.checkType(type);
    const outer = this.#opened(type, parameters + motives + minors);
    const inner = this.#opened(outer.rest, indices + 1);
    const major = this.#checker.localType(inner.locals.at(-1)!);
    for (const rule of rules) this.#checkRule(rule, outer.locals, major);
  }

  /** `outer`: parameters, motives and minor premises. `major`: the type of the major premise. */
  #checkRule(rule: RecursorRule, outer: readonly Expr[], major: Expr): void {
    const { terms, environment, substitution, inference, equality } = this.#checker;
    const recursor = this.#recursor;
    const head = headOf(terms, major);
    const inductive = terms.kind(head) === CONSTANT ? environment.get(terms.name(head)) : null;
    const maker = environment.get(rule.constructor);
    if (inductive?.kind !== 'inductive' || maker.kind !== 'constructor' || maker.inductive !== inductive.name)
      throw this.#refusal('a rule for what is no constructor of the type it takes apart');
    if (maker.fields !== rule.fields) throw this.#refusal(`a rule for ${rule.fields} fields, not ${maker.fields}`);
    const list = terms.levelList(head);
    const given = this.#checker.argumentsOf(major).slice(0, maker.parameters);
    let below = substitution.instantiateLevels(maker.type, maker.levelParams, terms.levels.array(list));
    for (let at = 0; at < given.length; at++) {
      if (terms.kind(below) !== FORALL) throw this.#refusal('a constructor with too few parameters');
      below = terms.body(below);
    }
    const fields = this.#opened(substitution.instantiate(below, given), maker.fields);
    const levels = terms.levels.list(recursor.levelParams.map((name) => terms.levels.parameter(name)));
    const made = apply(terms, apply(terms, terms.constant(maker.name, list), given), fields.locals);
    let left = apply(terms, terms.constant(recursor.name, levels), outer);
    left = apply(terms, left, this.#checker.argumentsOf(fields.rest), maker.parameters);
    left = terms.application(left, made);
    const right = apply(terms, apply(terms, rule.value, outer), fields.locals);
    if (!equality.isEqual(inference.check(left), inference.check(right)))
      throw this.#refusal(`its rule for ${terms.names.print(rule.constructor)} changes the type`);
  }

  /** Substitutes new variables for the first binders of a telescope. Returns these and the rest. */
  #opened(telescope: Expr, count: number): { readonly locals: readonly Expr[]; readonly rest: Expr } {
    const { terms, substitution } = this.#checker;
    const locals: Expr[] = [];
    let rest = telescope;
    for (; locals.length < count; rest = terms.body(rest)) {
      if (terms.kind(rest) !== FORALL) throw this.#refusal(`a telescope of fewer than ${count} binders`);
      locals.push(this.#checker.local(substitution.instantiate(terms.binderType(rest), locals)));
    }
    return { locals, rest: substitution.instantiate(rest, locals) };
  }

  #refusal(why: string): Rejection {
    return new Rejection('recursor', `${this.#checker.terms.names.print(this.#recursor.name)}: ${why}`);
  }
}
