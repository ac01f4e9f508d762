/** Equations as rewrite rules, and their consequences. */
import { applied, type Equation, matches, substituted, type Term, variablesOf, variableTerm } from './terms.ts';

/** An equation as a rule from left to right. Its left term was found later. */
export interface Rule {
  readonly equation: Equation;
  /**
   * Its right side is its left side with permuted variables, as in `f x y = f y x`. It never excludes a term or an
   * equation: `x + 0 = x` follows from `0 + x = x` and `x + y = y + x`, but proving the latter needs the former.
   */
  readonly isPermutation: boolean;
}

export function rewritten(term: Term, { equation: { left, right }, isPermutation }: Rule): Term | null {
  const bound = new Map<string, Term>();
  return isPermutation || !matches(left, term, bound) ? null : substituted(right, bound);
}

/**
 * Rewrites a term with the rules, arguments first. Stops after a number of steps, in case the rules do not terminate.
 */
export function normal(term: Term, rules: readonly Rule[], steps = { left: 200 }): Term {
  let at = term;
  while (steps.left > 0) {
    const { form } = at;
    if ('symbol' in form)
      at = applied(
        form.symbol,
        form.args.map((part) => normal(part, rules, steps)),
      );
    let next: Term | null = null;
    for (const rule of rules) {
      next = rewritten(at, rule);
      if (next !== null) break;
    }
    if (next === null || steps.left-- <= 0) return at;
    at = next;
  }
  return at;
}

/** Whether the left side has variables, and all variables of the right side. */
export function isNamedLeft({ left, right }: Equation): boolean {
  const own = new Set(variablesOf(left).map((variable) => variableTerm(variable).key));
  return own.size > 0 && variablesOf(right).every((variable) => own.has(variableTerm(variable).key));
}

export const ruleOf = (equation: Equation): Rule => ({
  equation,
  isPermutation: matches(equation.left, equation.right, new Map()),
});

/** Whether the equation is an instance of the other one, in either direction. */
export function isInstance(equation: Equation, of: Equation): boolean {
  const straight = new Map<string, Term>();
  if (matches(of.left, equation.left, straight) && matches(of.right, equation.right, straight)) return true;
  const turned = new Map<string, Term>();
  return matches(of.left, equation.right, turned) && matches(of.right, equation.left, turned);
}

/** The same for equations with a condition, which must match too. */
export function isInstanceUnder(equation: Required<Equation>, of: Equation): boolean {
  const bound = new Map<string, Term>();
  const pairs = [
    [of.condition!.left, equation.condition.left],
    [of.condition!.right, equation.condition.right],
    [of.left, equation.left],
    [of.right, equation.right],
  ] as const;
  return pairs.every(([pattern, term]) => matches(pattern, term, bound));
}
