/** Values for the variables of a signature, chosen by a generator of fixed numbers, and what terms are under them. */
import type { Evaluator, Meter, Value } from './evaluator.ts';
import { type GroundType, typeKey } from './ground-type.ts';
import { SmallRandom, sampleValue } from './samples.ts';
import type { SignatureReader, TermSymbol } from './signature.ts';
import { type Term, type Variable, variableTerm } from './terms.ts';

/** Assignments by which terms are put into classes; the first gives every variable its least value. */
const TESTS = 20;
/**
 * Further ones that an equation has to pass. Each way to put variables into two terms is an equation of its own, so a false one is
 * tried many times over: with 40 further tests most of what passed over `take`, `drop` and `minus` was false.
 */
const MORE_TESTS = 200;
/** Greatest size of a test value, and of one of the further tests: what holds of three elements may not hold of eight. */
const SIZE_MAX = 3;
const MORE_SIZE_MAX = 5;
/** One of this many further tests has values with one end, and one has values with two. */
const FEW_ENDS_IN = 4;
const ENDS = 3;
/** One variable in so many has the value of another of its type in the further tests: some equations fail only there. */
const SAME_ONCE_IN = 4;

/** Values of variables, under the keys of their terms. */
export type Assignment = ReadonlyMap<string, Value>;

export interface EvaluatedSignature {
  readonly symbols: readonly TermSymbol[];
  readonly signature: SignatureReader;
  readonly evaluator: Evaluator;
  readonly seed: number;
}

/** Types of the arguments and results of symbols that have values to test with. */
function variablesFor(symbols: readonly TermSymbol[], signature: SignatureReader, most: number): Variable[] {
  const types = new Map<string, GroundType>();
  for (const symbol of symbols)
    if (!symbol.isConstructor) for (const type of symbol.arguments) types.set(typeKey(type), type);
  return [...types.values()]
    .filter((type) => sampleValue(signature, type, { size: 1, ends: null }, new SmallRandom(1)) !== null)
    .flatMap((type) => Array.from({ length: type.head === '→' ? 1 : most }, (_, index) => ({ type, index })));
}

export class TestValues {
  readonly variables: readonly Variable[];
  readonly tests: readonly Assignment[];
  readonly moreTests: readonly Assignment[];
  /** Where the values ended. */
  readonly random: SmallRandom;
  readonly #evaluator: Evaluator;
  readonly #meter: Meter = { steps: 0 };

  /** @param variablesMax of one type */
  constructor({ symbols, signature, evaluator, seed }: EvaluatedSignature, variablesMax: number) {
    this.#evaluator = evaluator;
    this.variables = variablesFor(symbols, signature, variablesMax);
    const random = new SmallRandom(seed);
    this.random = random;
    const assignments = Array.from({ length: TESTS + MORE_TESTS }, (_, test): Assignment => {
      const isFurther = test >= TESTS;
      const size = test === 0 ? 0 : 1 + (test % (isFurther ? MORE_SIZE_MAX : SIZE_MAX));
      const few = isFurther ? test % FEW_ENDS_IN : 0;
      const ends = few === 1 || few === 2 ? { from: random.below(ENDS), count: few } : null;
      const values = new Map<string, Value>();
      const last = new Map<string, Value>();
      for (const variable of this.variables) {
        const type = typeKey(variable.type);
        const isSame = isFurther && random.below(SAME_ONCE_IN) === 0;
        const value =
          (isSame ? last.get(type) : undefined) ?? sampleValue(signature, variable.type, { size, ends }, random)!;
        values.set(variableTerm(variable).key, value);
        last.set(type, value);
      }
      return values;
    });
    // A value that could not be made leaves the whole test out.
    const whole = assignments.filter((assignment) => [...assignment.values()].every((value) => value !== null));
    this.tests = whole.slice(0, TESTS);
    this.moreTests = whole.slice(TESTS);
  }

  /** Steps that `Meter` has counted. */
  get steps(): number {
    return this.#meter.steps;
  }

  /** Null where it has no value. */
  apply(symbol: TermSymbol, values: readonly Value[]): Value | null {
    return this.#evaluator.apply(symbol, values, this.#meter);
  }

  /** Whether both have the same value under every one of the tests. */
  agree(left: Term, right: Term, tests: readonly Assignment[]): boolean {
    return tests.every((test) => {
      const value = this.valueOf(left, test);
      return value !== null && value.key === this.valueOf(right, test)?.key;
    });
  }

  /** Null where it has no value. */
  valueOf({ form, key }: Term, test: Assignment): Value | null {
    if ('variable' in form) return test.get(key) ?? null;
    const args: Value[] = [];
    for (const part of form.args) {
      const value = this.valueOf(part, test);
      if (value === null) return null;
      args.push(value);
    }
    return this.apply(form.symbol, args);
  }
}
