/** Values for the variables of a signature, from a generator with fixed seeds, and the values of terms under them. */
import type { Evaluator, Meter, Value } from './evaluator.ts';
import { type GroundType, typeKey } from './ground-type.ts';
import { SmallRandom, sampleValue } from './samples.ts';
import type { SymbolReader, TermSymbol } from './symbol-schemes.ts';
import { type Term, type Variable, variableTerm } from './terms.ts';

/** Number of assignments that classify terms. The first assigns the smallest values. */
const TESTS = 20;
/**
 * Number of further tests that an equation must pass. Every way to put variables into two terms gives another equation,
 * so many false ones are tested; with few further tests, most that pass are false.
 */
const MORE_TESTS = 200;
/**
 * Maximum sizes of test values in the first and in the further tests: equations that hold for three elements may fail
 * for eight.
 */
const SIZE_MAX = 3;
const MORE_SIZE_MAX = 5;
/** One in this many further tests has values with a single end, and one has values with two ends. */
const FEW_ENDS_IN = 4;
const ENDS = 3;
/**
 * In the further tests one in this many variables repeats the value of another variable of its type: some equations
 * fail only then.
 */
const SAME_ONCE_IN = 4;

/** Values of variables, by the keys of their terms. */
export type Assignment = ReadonlyMap<string, Value>;

export interface EvaluatedSymbols {
  readonly symbols: readonly TermSymbol[];
  readonly reader: SymbolReader;
  readonly evaluator: Evaluator;
  readonly seed: number;
}

/** Returns variables for the types of arguments and results that have test values. */
function variablesFor(symbols: readonly TermSymbol[], reader: SymbolReader, most: number): Variable[] {
  const types = new Map<string, GroundType>();
  for (const symbol of symbols)
    if (!symbol.isConstructor) for (const type of symbol.arguments) types.set(typeKey(type), type);
  return [...types.values()]
    .filter((type) => sampleValue(reader, type, { size: 1, ends: null }, new SmallRandom(1)) !== null)
    .flatMap((type) => Array.from({ length: type.head === '→' ? 1 : most }, (_, index) => ({ type, index })));
}

export class TestValues {
  readonly variables: readonly Variable[];
  readonly tests: readonly Assignment[];
  readonly moreTests: readonly Assignment[];
  /** The generator's state after the values were chosen. */
  readonly random: SmallRandom;
  readonly #evaluator: Evaluator;
  readonly #meter: Meter = { steps: 0 };

  /** @param variablesMax maximum number of variables of one type */
  constructor({ symbols, reader, evaluator, seed }: EvaluatedSymbols, variablesMax: number) {
    this.#evaluator = evaluator;
    this.variables = variablesFor(symbols, reader, variablesMax);
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
          (isSame ? last.get(type) : undefined) ?? sampleValue(reader, variable.type, { size, ends }, random)!;
        values.set(variableTerm(variable).key, value);
        last.set(type, value);
      }
      return values;
    });
    // A test with a missing value is dropped.
    const whole = assignments.filter((assignment) => [...assignment.values()].every((value) => value !== null));
    this.tests = whole.slice(0, TESTS);
    this.moreTests = whole.slice(TESTS);
  }

  /** Steps counted by the `Meter`. */
  get steps(): number {
    return this.#meter.steps;
  }

  /** Returns null if the application has no value. */
  apply(symbol: TermSymbol, values: readonly Value[]): Value | null {
    return this.#evaluator.apply(symbol, values, this.#meter);
  }

  /** Whether both terms have the same value under all these tests. */
  agree(left: Term, right: Term, tests: readonly Assignment[]): boolean {
    return tests.every((test) => {
      const value = this.valueOf(left, test);
      return value !== null && value.key === this.valueOf(right, test)?.key;
    });
  }

  /** Returns null if the term has no value. */
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
