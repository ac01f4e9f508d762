/**
 * Tests equations that others have written over a signature: by values, and by rewriting with those that hold. That an equation
 * holds on tests proves nothing.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { MORE_MEETING_MIN } from './equations.ts';
import { isInstance, isInstanceUnder, isNamedLeft, normal, type Rule, ruleOf } from './rewriting.ts';
import type { Equation } from './terms.ts';
import type { TestValues } from './test-values.ts';

/**
 * Answers of the tests about an equation: `holds` or `fails`; `unevaluated` where hardly any test gives both sides a value;
 * `follows` if others that hold rewrite its sides to one term, or it puts terms in the places of their variables.
 */
export type TestVerdict = 'holds' | 'fails' | 'unevaluated' | 'follows';

export interface TestedEquation {
  readonly verdict: TestVerdict;
  /** With its condition only where it needs one. A theorem may say it the other way round (`byPathOrder`). */
  readonly equation: Equation;
}

const isConditional = (equation: Equation): equation is Required<Equation> => equation.condition !== undefined;

const sizeOf = ({ left, right, condition }: Equation): number =>
  left.size + right.size + (condition === undefined ? 0 : condition.left.size);

/** The side with more functions, then the larger one, to the left, if it has all variables of the other. */
function oriented(equation: Equation): Equation {
  const { left, right } = equation;
  const turned = { ...equation, left: right, right: left };
  const isLarger = right.functions > left.functions || (right.functions === left.functions && right.size > left.size);
  return (isLarger || !isNamedLeft(equation)) && isNamedLeft(turned) ? turned : equation;
}

/**
 * Tests those with fewer symbols first, so that the simpler one of two stays. An equation that holds also where its condition
 * does not is one without a condition; the larger side comes to the left. Gives way to other work after each.
 *
 * @param known that hold already
 * @param stepsMax of the kernel for all values together; what comes after them is `unevaluated`
 * @returns a verdict each, in their order
 */
export async function testEach(
  candidates: readonly Equation[],
  known: readonly Equation[],
  values: TestValues,
  stepsMax: number,
  signal?: AbortSignal,
): Promise<TestedEquation[]> {
  const facts = new KnownFacts(known);
  const results = new Array<TestedEquation>(candidates.length);
  const bySize = [...candidates.entries()].sort(([, a], [, b]) => sizeOf(a) - sizeOf(b));
  for (const [place, candidate] of bySize) {
    signal?.throwIfAborted();
    const result = values.steps < stepsMax ? tested(oriented(candidate), facts, values) : unevaluated(candidate);
    if (result.verdict === 'holds') facts.add(result.equation);
    results[place] = result;
    await turn();
  }
  return results;
}

const unevaluated = (equation: Equation): TestedEquation => ({ verdict: 'unevaluated', equation });

function tested(equation: Equation, facts: KnownFacts, values: TestValues): TestedEquation {
  const free = oriented({ left: equation.left, right: equation.right });
  if (facts.imply(free) || facts.imply(equation)) return { verdict: 'follows', equation };
  const verdict = verdictOf(free, values);
  return verdict === 'fails' && isConditional(equation)
    ? { verdict: verdictOf(equation, values), equation }
    : { verdict, equation: free };
}

/** Where a condition is, tests that meet it count. */
function verdictOf({ left, right, condition }: Equation, values: TestValues): TestVerdict {
  let evaluated = 0;
  for (const test of [...values.tests, ...values.moreTests]) {
    if (condition !== undefined) {
      const met = values.valueOf(condition.left, test)?.key;
      if (met === undefined || met !== values.valueOf(condition.right, test)?.key) continue;
    }
    const value = values.valueOf(left, test);
    const other = value === null ? null : values.valueOf(right, test);
    if (value === null || other === null) continue;
    if (value.key !== other.key) return 'fails';
    evaluated++;
  }
  if (evaluated >= MORE_MEETING_MIN) return 'holds';
  return condition === undefined ? 'unevaluated' : 'fails';
}

const isSame = (one: Equation, other: Equation): boolean =>
  one.left.key === other.left.key && one.right.key === other.right.key;

class KnownFacts {
  readonly #rules: Rule[] = [];
  readonly #conditional: Required<Equation>[] = [];

  constructor(known: readonly Equation[]) {
    for (const equation of known) this.add(equation);
  }

  add(equation: Equation): void {
    if (isConditional(equation)) this.#conditional.push(equation);
    else if (isNamedLeft(equation)) this.#rules.push(ruleOf(equation));
  }

  imply(equation: Equation): boolean {
    return (
      (isConditional(equation) && isSame(equation, equation.condition)) ||
      normal(equation.left, this.#rules).key === normal(equation.right, this.#rules).key ||
      this.#rules.some((rule) => isInstance(equation, rule.equation)) ||
      (isConditional(equation) && this.#conditional.some((other) => isInstanceUnder(equation, other)))
    );
  }
}
