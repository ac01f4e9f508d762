/** Equations as rules that rewrite terms, and what follows from them. */
import { applied, type Equation, matches, substituted, type Term, variablesOf, variableTerm } from './terms.ts';

/** An equation, from left to right; the left term came later. */
export interface Rule {
  readonly equation: Equation;
  /**
   * Its right side is its left side with other variables, as of `f x y = f y x`. No term and no equation is left out because of it:
   * `x + 0 = x` follows from `0 + x = x` and `x + y = y + x`, but it takes the former to prove the latter.
   */
  readonly isPermutation: boolean;
}

export function rewritten(term: Term, { equation: { left, right }, isPermutation }: Rule): Term | null {
  const bound = new Map<string, Term>();
  return isPermutation || !matches(left, term, bound) ? null : substituted(right, bound);
}

/** Returns the term to which the rules rewrite a term, its parts first. Ends after so many steps where they go round. */
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

/** Are there variables, and none on the right that is not on the left? */
export function isNamedLeft({ left, right }: Equation): boolean {
  const own = new Set(variablesOf(left).map((variable) => variableTerm(variable).key));
  return own.size > 0 && variablesOf(right).every((variable) => own.has(variableTerm(variable).key));
}

export const ruleOf = (equation: Equation): Rule => ({
  equation,
  isPermutation: matches(equation.left, equation.right, new Map()),
});

/** Is the equation the other one with terms in the places of its variables, in one direction or the other? */
export function isInstance(equation: Equation, of: Equation): boolean {
  const straight = new Map<string, Term>();
  if (matches(of.left, equation.left, straight) && matches(of.right, equation.right, straight)) return true;
  const turned = new Map<string, Term>();
  return matches(of.left, equation.right, turned) && matches(of.right, equation.left, turned);
}

/** The same for equations under a condition, the condition included. */
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
