/**
 * Tests given equations over a signature: by values, and by rewriting with equations that hold. Passing tests proves
 * nothing.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { MORE_MEETING_MIN } from './equations.ts';
import { isInstance, isInstanceUnder, isNamedLeft, normal, type Rule, ruleOf } from './rewriting.ts';
import type { Equation } from './terms.ts';
import type { TestValues } from './test-values.ts';

/**
 * The result of testing an equation: `holds`; `fails`; `unevaluated` if hardly any test gives both sides a value;
 * `follows` if other equations that hold rewrite both sides to the same term, or if it is an instance of one.
 */
export type TestVerdict = 'holds' | 'fails' | 'unevaluated' | 'follows';

export interface TestedEquation {
  readonly verdict: TestVerdict;
  /** It has a condition only if it needs one. A theorem may state it in the other direction (`byPathOrder`). */
  readonly equation: Equation;
}

const isConditional = (equation: Equation): equation is Required<Equation> => equation.condition !== undefined;

const sizeOf = ({ left, right, condition }: Equation): number =>
  left.size + right.size + (condition === undefined ? 0 : condition.left.size);

/** Puts the side with more functions, then the larger side, on the left, if it contains all variables of the other. */
function oriented(equation: Equation): Equation {
  const { left, right } = equation;
  const turned = { ...equation, left: right, right: left };
  const isLarger = right.functions > left.functions || (right.functions === left.functions && right.size > left.size);
  return (isLarger || !isNamedLeft(equation)) && isNamedLeft(turned) ? turned : equation;
}

/**
 * Tests equations with fewer symbols first, so that the simpler of two stays. An unnecessary condition is dropped, and
 * the larger side is put on the left. Yields to other work after each equation.
 *
 * @param known equations that already hold
 * @param stepsMax maximum kernel steps for all values together; later equations are `unevaluated`
 * @returns one verdict per candidate, in order
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
  for (const [index, candidate] of bySize) {
    signal?.throwIfAborted();
    const result = values.steps < stepsMax ? tested(oriented(candidate), facts, values) : unevaluated(candidate);
    if (result.verdict === 'holds') facts.add(result.equation);
    results[index] = result;
    await yieldToOthers();
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

/** If there is a condition, only tests that satisfy it count. */
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
