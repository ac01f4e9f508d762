/**
 * Finds equations that hold on test values. All terms over a signature up to a number of functions are classified by
 * their values under the same assignments, as in QuickSpec (Smallbone et al. 2017, §4). Larger terms are built from the
 * first term of each class, and a term that an earlier equation rewrites is skipped. Passing tests proves nothing.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Value } from './evaluator.ts';
import { typeKey } from './ground-type.ts';
import { isInstance, isInstanceUnder, isNamedLeft, normal, type Rule, rewritten, ruleOf } from './rewriting.ts';
import type { TermSymbol } from './symbol-schemes.ts';
import { applied, type Equation, functionsOf, type Term, variablesOf, variableTerm } from './terms.ts';
import type { EvaluatedSymbols, TestValues } from './test-values.ts';

export interface ExploreLimits {
  /** Maximum number of functions in a signature; the nearest to the statement are used. */
  readonly nearMax: number;
  /** Maximum distance. 1: what the statement mentions, and what the definitions of that mention. */
  readonly distanceMax: number;
  /** Maximum number of functions in one side. */
  readonly functionsMax: number;
  readonly constructorsMax: number;
  readonly termsMax: number;
  /**
   * Maximum kernel steps for the values of all terms; about ten million take a second. Some functions cost thousands
   * per application.
   */
  readonly stepsMax: number;
  readonly equationsMax: number;
  /** Maximum number of variables of one type. */
  readonly variablesMax: number;
  /**
   * Whether to use both of two functions that are equal on all tests. Otherwise larger terms contain only the first,
   * but proving that they are equal may need lemmas about the other. With this option, equations about the other are
   * found too.
   */
  readonly twins: boolean;
  /**
   * Of two equal functions, larger terms contain the one defined first, not the one that the statement mentions first:
   * `s` instead of `plus` in `s n = plus n one`. This finds laws of helper functions that others imply, but that proofs
   * of these others may need.
   */
  readonly simplestFirst: boolean;
}

export const EXPLORE_LIMITS: ExploreLimits = {
  nearMax: 7,
  distanceMax: 1,
  functionsMax: 3,
  constructorsMax: 1,
  termsMax: 4_000,
  stepsMax: 10_000_000,
  equationsMax: 200,
  variablesMax: 3,
  twins: false,
  simplestFirst: false,
};

/** Functions and work that each further step adds. */
const DEEPER_NEAR = 2;
const DEEPER_FACTOR = 2;

/**
 * Returns limits for an exploration `deeper` steps beyond the first: with more distant functions, more functions per
 * side, and more time.
 */
export const deeperLimits = (deeper: number): ExploreLimits => ({
  ...EXPLORE_LIMITS,
  nearMax: EXPLORE_LIMITS.nearMax + DEEPER_NEAR * deeper,
  distanceMax: EXPLORE_LIMITS.distanceMax + deeper,
  functionsMax: EXPLORE_LIMITS.functionsMax + deeper,
  termsMax: EXPLORE_LIMITS.termsMax * DEEPER_FACTOR ** deeper,
  stepsMax: EXPLORE_LIMITS.stepsMax * DEEPER_FACTOR ** deeper,
  equationsMax: EXPLORE_LIMITS.equationsMax * DEEPER_FACTOR ** deeper,
  twins: deeper > 0,
  simplestFirst: deeper > 0,
});

/**
 * Maximum number of considered terms per term that may be evaluated. Earlier equations rewrite most terms, which are
 * not evaluated.
 */
const CONSIDERED_PER_TERM = 10;
/** Number of terms between two yields to other work: some hundred milliseconds. */
const TERMS_AT_ONCE = 100;
/** Maximum number of equations with a condition, smallest terms first. A signature can have hundreds. */
const CONDITIONAL_MAX = 24;
/**
 * Minimum number of tests that must satisfy a condition (first and further tests), and of first tests that must violate
 * it.
 */
const MEETING_MIN = 3;
export const MORE_MEETING_MIN = 20;
/** Maximum number of pairs of terms drawn for a random equation. */
const DRAWS_PER_EQUATION = 50;
export interface Explored {
  /** Ordered by discovery: fewer functions first. */
  readonly equations: readonly Equation[];
  readonly terms: number;
  /** Number of terms without a value. */
  readonly withoutValue: number;
}

interface Classed {
  readonly term: Term;
  readonly args: readonly Classed[];
  /** Its values under the first tests, as far as computed; null if it has none. */
  readonly values: (Value | null)[];
}

/** A tree of terms by their values under one test after another. A node branches when a second term arrives. */
interface ClassTree {
  readonly first: Classed;
  branches: Map<string, ClassTree> | null;
}

function addTo<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}

/** Whether `test` is one function applied to variables that all occur in `term`. */
function isTestOf(test: Term, term: Term): boolean {
  if (test.functions !== 1 || test.constructors > 0) return false;
  const its = new Set(variablesOf(term).map((variable) => variableTerm(variable).key));
  return variablesOf(test).every((variable) => its.has(variableTerm(variable).key));
}

export class Explorer {
  readonly #values: TestValues;
  readonly #limits: ExploreLimits;
  readonly #symbols: readonly TermSymbol[];
  /** Classes of equal terms, by type. */
  readonly #classes = new Map<string, ClassTree>();
  /** First terms of their classes, by number of functions, then by type. */
  readonly #levels: Map<string, Classed[]>[] = [];
  readonly #rules: Rule[] = [];
  /** Applications of functions, by type, from which random equations are made. */
  readonly #applications = new Map<string, Term[]>();
  #terms = 0;
  #considered = 0;
  #withoutValue = 0;

  constructor(
    { symbols }: Pick<EvaluatedSymbols, 'symbols'>,
    values: TestValues,
    limits: ExploreLimits = EXPLORE_LIMITS,
  ) {
    this.#values = values;
    this.#limits = limits;
    this.#symbols = symbols;
  }

  /** Yields to other work of the process after some hundred terms. */
  async explore(signal?: AbortSignal): Promise<Explored> {
    for (const _ of this.#steps()) {
      signal?.throwIfAborted();
      await yieldToOthers();
    }
    const kept = this.#kept();
    const all = [...kept, ...this.#halves(kept), ...this.#conditional()];
    const equations = all.sort((a, b) => functionsOf(a) - functionsOf(b));
    return { equations, terms: this.#terms, withoutValue: this.#withoutValue };
  }

  *#steps(): Generator<void> {
    this.#levels.push(new Map());
    for (const variable of this.#values.variables) {
      const term = variableTerm(variable);
      this.#class({ term, args: [], values: this.#values.tests.map((test) => test.get(term.key)!) }, 0);
    }
    yield* this.#grow(0);
    for (let functions = 1; functions <= this.#limits.functionsMax && !this.#isOver(); functions++) {
      this.#levels.push(new Map());
      for (const symbol of this.#symbols)
        if (!symbol.isConstructor) yield* this.#applyTo(symbol, functions - 1, functions);
      yield* this.#grow(functions);
    }
  }

  /** Applies constructors to the terms of a level. */
  *#grow(functions: number): Generator<void> {
    for (const symbol of this.#symbols) if (symbol.isConstructor) yield* this.#applyTo(symbol, functions, functions);
  }

  #isOver(): boolean {
    const { termsMax, equationsMax, stepsMax } = this.#limits;
    return (
      this.#terms >= termsMax ||
      this.#considered >= CONSIDERED_PER_TERM * termsMax ||
      this.#rules.length >= equationsMax ||
      this.#values.steps >= stepsMax
    );
  }

  /** Makes all applications of the symbol whose arguments contain this many functions in total. */
  *#applyTo(
    symbol: TermSymbol,
    functions: number,
    level: number,
    args: readonly Classed[] = [],
    left = functions,
  ): Generator<void> {
    const index = args.length;
    if (index === symbol.arguments.length) {
      if (left > 0) return;
      this.#apply(symbol, args, level);
      if (this.#considered % TERMS_AT_ONCE === 0) yield;
      return;
    }
    const isLast = index + 1 === symbol.arguments.length;
    for (let own = isLast ? left : 0; own <= left; own++) {
      const pool = this.#levels[own]?.get(typeKey(symbol.arguments[index]!)) ?? [];
      // The list may grow during the loop, by constructors of its own type.
      for (const one of [...pool]) {
        if (this.#isOver()) return;
        yield* this.#applyTo(symbol, functions, level, [...args, one], left - own);
      }
    }
  }

  #apply(symbol: TermSymbol, args: readonly Classed[], level: number): void {
    const term = applied(
      symbol,
      args.map((one) => one.term),
    );
    this.#considered++;
    if (term.constructors > this.#limits.constructorsMax || this.#isRewritten(term)) return;
    this.#terms++;
    if (!symbol.isConstructor) addTo(this.#applications, typeKey(term.type), term);
    this.#class({ term, args, values: [] }, level);
  }

  /** Returns its value under the test with this index. */
  #valueUnder(test: number, one: Classed): Value | null {
    let value = one.values[test];
    if (value === undefined) {
      const { form } = one.term;
      const given = one.args.map((part) => this.#valueUnder(test, part));
      const isWhole = 'symbol' in form && given.every((part) => part !== null);
      value = isWhole ? this.#values.apply(form.symbol, given as Value[]) : null;
      one.values[test] = value;
    }
    return value;
  }

  /**
   * Returns the first term of its class, which is the term itself if it begins a class. Tests are run only as far as
   * needed to separate classes, which avoids most of them.
   */
  #firstOf(one: Classed): Classed {
    const type = typeKey(one.term.type);
    const root = this.#classes.get(type);
    if (root === undefined) {
      this.#classes.set(type, { first: one, branches: null });
      return one;
    }
    let node: ClassTree = root;
    for (const [test] of this.#values.tests.entries()) {
      if (node.branches === null) {
        const key: string = this.#valueUnder(test, node.first)?.key ?? '';
        node.branches = new Map([[key, { first: node.first, branches: null }]]);
      }
      const value = this.#valueUnder(test, one)?.key ?? '';
      const next: ClassTree | undefined = node.branches.get(value);
      if (next === undefined) {
        node.branches.set(value, { first: one, branches: null });
        return one;
      }
      node = next;
    }
    return node.first;
  }

  #class(one: Classed, level: number): void {
    const first = this.#firstOf(one);
    if (first !== one) {
      // A term without a value under some test says nothing.
      if (one.values.includes(null)) this.#withoutValue++;
      else this.#found({ left: one.term, right: first.term });
      return;
    }
    addTo(this.#levels[level]!, typeKey(one.term.type), one);
  }

  /**
   * After `explore`: returns well-typed equations between two of its terms, chosen without regard to their values.
   * Returns fewer than `count` if few terms fit together.
   */
  randomEquations(count: number): Equation[] {
    const pools = [...this.#applications.values()];
    const all = pools.flat();
    const found = new Map<string, Equation>();
    for (let left = all.length === 0 ? 0 : count * DRAWS_PER_EQUATION; left > 0 && found.size < count; left--) {
      const one = all[this.#values.random.below(all.length)]!;
      const pool = this.#applications.get(typeKey(one.type))!;
      const equation = { left: one, right: pool[this.#values.random.below(pool.length)]! };
      if (equation.right !== one && isNamedLeft(equation)) found.set(`${one.key} ${equation.right.key}`, equation);
    }
    return [...found.values()];
  }

  #found(equation: Equation): void {
    const { left, right } = equation;
    if (!isNamedLeft(equation)) return;
    if (this.#values.agree(left, right, this.#values.moreTests)) this.#rules.push(ruleOf(equation));
  }

  /**
   * Drops equations that are instances of another one (of two that are instances of each other the first stays), and
   * equations whose sides the earlier kept ones rewrite to the same term.
   */
  #kept(): Equation[] {
    const follows = (index: number, from: number): boolean =>
      isInstance(this.#rules[index]!.equation, this.#rules[from]!.equation);
    const general = this.#rules.filter(
      (_, index) =>
        !this.#rules.some(
          (_other, from) => from !== index && follows(index, from) && (from < index || !follows(from, index)),
        ),
    );
    const kept: Rule[] = [];
    for (const rule of general) {
      const { left, right } = rule.equation;
      if (normal(left, kept).key !== normal(right, kept).key) kept.push(rule);
    }
    return kept.map(({ equation }) => equation);
  }

  /**
   * Splits an equation between two tests into the cases where the smaller test is true and where it is false. For
   * example, a proof that insertion keeps a list sorted may be found although none is found that it keeps a list
   * unsorted.
   */
  #halves(kept: readonly Equation[]): Equation[] {
    return kept
      .filter((one) => one.left.type.head === 'Bool' && isTestOf(one.right, one.left) && !ruleOf(one).isPermutation)
      .flatMap(({ left, right }) =>
        this.#truths().map((truth) => ({ left, right: truth, condition: { left: right, right: truth } })),
      )
      .slice(0, CONDITIONAL_MAX);
  }

  /** `true` and `false`, if the signature contains them. */
  #truths(): Term[] {
    return this.#symbols
      .filter(({ isConstructor, result }) => isConstructor && result.head === 'Bool')
      .map((symbol) => applied(symbol, []));
  }

  /**
   * Returns equations `p = b → q = c` over tests p and q of the signature, such as `leq n m = false → leq m n = true`,
   * where p is one function applied to variables that all occur in q. Omits instances of others.
   */
  #conditional(): Equation[] {
    const tests = [1, 2]
      .flatMap((functions) => this.#levels[functions]?.get('Bool') ?? [])
      .sort((a, b) => a.term.functions + a.term.constructors - (b.term.functions + b.term.constructors));
    const known = this.#truths().map((term) => ({
      term,
      value: 'symbol' in term.form ? this.#values.apply(term.form.symbol, [])?.key : undefined,
    }));
    const found: Equation[] = [];
    for (const one of tests)
      for (const condition of tests) {
        if (found.length >= CONDITIONAL_MAX || one === condition || !isTestOf(condition.term, one.term)) continue;
        for (const { term: right, value } of known) {
          const isMet = (test: number): boolean => this.#valueUnder(test, condition)?.key === value;
          const [met, failed] = [
            this.#values.tests.keys().filter(isMet).toArray(),
            this.#values.tests.keys().filter((test) => !isMet(test)),
          ];
          if (met.length < MEETING_MIN || failed.toArray().length < MEETING_MIN) continue;
          const values = new Set(met.map((test) => this.#valueUnder(test, one)?.key));
          const its = values.size === 1 ? known.find((truth) => values.has(truth.value)) : undefined;
          if (its === undefined) continue;
          const equation = { left: one.term, right: its.term, condition: { left: condition.term, right } };
          const isKnown = found.some((earlier) => isInstanceUnder(equation, earlier));
          if (!isKnown && this.#holdsUnder(equation, value!, its.value!)) found.push(equation);
        }
      }
    return found;
  }

  #holdsUnder({ left, condition }: Required<Equation>, met: string, expected: string): boolean {
    const meeting = this.#values.moreTests.filter((test) => this.#values.valueOf(condition.left, test)?.key === met);
    return (
      meeting.length >= MORE_MEETING_MIN && meeting.every((test) => this.#values.valueOf(left, test)?.key === expected)
    );
  }

  /** Whether an earlier equation rewrites the term at its root. Its arguments are first terms of their classes. */
  #isRewritten(term: Term): boolean {
    return this.#rules.some((rule) => rewritten(term, rule) !== null);
  }
}

/**
 * Returns the functions that replace others in larger terms: `f x y = g x y` or `f x y = g y x` showed that `f` equals
 * `g`.
 */
export function firstOfTwins(equations: readonly Equation[]): string[] {
  const names = equations.flatMap(({ left, right, condition }) => {
    if (condition !== undefined || !('symbol' in left.form) || !('symbol' in right.form)) return [];
    const [own, first] = [left.form, right.form];
    const isPlain = (args: readonly Term[]): boolean =>
      args.length > 0 &&
      args.every(({ form }) => 'variable' in form) &&
      new Set(args.map(({ key }) => key)).size === args.length;
    const areTwins = own.symbol.name !== first.symbol.name && isPlain(own.args) && isPlain(first.args);
    return areTwins && own.args.length === first.args.length && !first.symbol.isConstructor ? [first.symbol.name] : [];
  });
  return [...new Set(names)];
}
