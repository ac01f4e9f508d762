/**
 * Equations that hold on test values: all terms over a signature up to a number of functions are put into classes by their values
 * under the same assignments, as in QuickSpec (Smallbone et al. 2017, §4). Larger terms are made of the first of each class, and
 * one that an equation found earlier rewrites is left out. That an equation holds on tests proves nothing.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Evaluator, Value } from './evaluator.ts';
import { type GroundType, typeKey } from './ground-type.ts';
import { SmallRandom, sampleValue } from './samples.ts';
import type { SignatureReader, TermSymbol } from './signature.ts';
import {
  applied,
  type Equation,
  functionsOf,
  matches,
  substituted,
  type Term,
  type Variable,
  variablesOf,
  variableTerm,
} from './terms.ts';

export interface ExploreLimits {
  /** Functions in one side, at most. */
  readonly functionsMax: number;
  readonly constructorsMax: number;
  /** Terms that are evaluated, at most. */
  readonly termsMax: number;
  /** Steps of the kernel for the values of all terms, some ten million a second; some functions cost thousands an application. */
  readonly stepsMax: number;
  readonly equationsMax: number;
  /** Variables of one type. */
  readonly variablesMax: number;
}

export const EXPLORE_LIMITS: ExploreLimits = {
  functionsMax: 3,
  constructorsMax: 1,
  termsMax: 4_000,
  stepsMax: 10_000_000,
  equationsMax: 200,
  variablesMax: 3,
};

/** Assignments by which terms are put into classes; the first gives every variable its least value. */
const TESTS = 20;
/**
 * Further ones that an equation has to pass. Each way to put variables into two terms is an equation of its own, so a false one is
 * tried many times over: with 40 further tests most of what passed over `take`, `drop` and `minus` was false.
 */
const MORE_TESTS = 200;
/** Most terms are rewritten by an equation found earlier and not evaluated; no more than so many for each that may be. */
const CONSIDERED_PER_TERM = 10;
/** Terms between two turns of other work: some hundred milliseconds. */
const TERMS_AT_ONCE = 100;
/** Greatest size of a test value, and of one of the further tests: what holds of three elements may not hold of eight. */
const SIZE_MAX = 3;
const MORE_SIZE_MAX = 5;
/** Equations under a condition, at most, those of small terms first: hundreds can be true of a signature. */
const CONDITIONAL_MAX = 24;
/** Tests, of the first and of the further ones, that have to meet a condition, and of the first that have to fail it. */
const MEETING_MIN = 3;
const MORE_MEETING_MIN = 20;
/** Pairs of terms that are drawn for a random equation, at most. */
const DRAWS_PER_EQUATION = 50;
/** One variable in so many has the value of another of its type in the further tests: some equations fail only there. */
const SAME_ONCE_IN = 4;

export interface Explored {
  /** In the order in which they were found: fewer functions first. */
  readonly equations: readonly Equation[];
  readonly terms: number;
  /** Terms that the evaluator gave no value. */
  readonly withoutValue: number;
}

type Assignment = ReadonlyMap<string, Value>;

interface Classed {
  readonly term: Term;
  /** Of an application. */
  readonly args: readonly Classed[];
  /** Its values under the first tests, as far as they were asked for; null where it has none. */
  readonly values: (Value | null)[];
}

/** Terms by their values under one test after the other; branches are made where a second term comes. */
interface ClassTree {
  readonly first: Classed;
  branches: Map<string, ClassTree> | null;
}

/** An equation, from left to right; the left term came later. */
interface Rule {
  readonly equation: Equation;
  /**
   * Its right side is its left side with other variables, as of `f x y = f y x`. No term and no equation is left out because of it:
   * `x + 0 = x` follows from `0 + x = x` and `x + y = y + x`, but it takes the former to prove the latter.
   */
  readonly isPermutation: boolean;
}

function rewritten(term: Term, { equation: { left, right }, isPermutation }: Rule): Term | null {
  const bound = new Map<string, Term>();
  return isPermutation || !matches(left, term, bound) ? null : substituted(right, bound);
}

/** What the rules rewrite a term to, its parts first. Ends after so many steps where they go round. */
function normal(term: Term, rules: readonly Rule[], steps = { left: 200 }): Term {
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
function isNamedLeft({ left, right }: Equation): boolean {
  const own = new Set(variablesOf(left).map((variable) => variableTerm(variable).key));
  return own.size > 0 && variablesOf(right).every((variable) => own.has(variableTerm(variable).key));
}

function addTo<T>(lists: Map<string, T[]>, key: string, one: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}

/** Is the equation the other one with terms in the places of its variables, in one direction or the other? */
function isInstance(equation: Equation, of: Equation): boolean {
  const straight = new Map<string, Term>();
  if (matches(of.left, equation.left, straight) && matches(of.right, equation.right, straight)) return true;
  const turned = new Map<string, Term>();
  return matches(of.left, equation.right, turned) && matches(of.right, equation.left, turned);
}

/** The same for equations under a condition, the condition included. */
function isInstanceUnder(equation: Required<Equation>, of: Equation): boolean {
  const bound = new Map<string, Term>();
  const pairs = [
    [of.condition!.left, equation.condition.left],
    [of.condition!.right, equation.condition.right],
    [of.left, equation.left],
    [of.right, equation.right],
  ] as const;
  return pairs.every(([pattern, term]) => matches(pattern, term, bound));
}

/** Is `test` one function of variables, all of them in `term`? */
function isTestOf(test: Term, term: Term): boolean {
  if (test.functions !== 1 || test.constructors > 0) return false;
  const its = new Set(variablesOf(term).map((variable) => variableTerm(variable).key));
  return variablesOf(test).every((variable) => its.has(variableTerm(variable).key));
}

/** Types of the arguments and results of symbols that have values to test with. */
function variablesFor(symbols: readonly TermSymbol[], signature: SignatureReader, most: number): Variable[] {
  const types = new Map<string, GroundType>();
  for (const symbol of symbols)
    if (!symbol.isConstructor) for (const type of symbol.arguments) types.set(typeKey(type), type);
  return [...types.values()]
    .filter((type) => sampleValue(signature, type, 1, new SmallRandom(1)) !== null)
    .flatMap((type) => Array.from({ length: type.head === '→' ? 1 : most }, (_, index) => ({ type, index })));
}

export class Explorer {
  readonly #evaluator: Evaluator;
  readonly #limits: ExploreLimits;
  readonly #symbols: readonly TermSymbol[];
  readonly #tests: readonly Assignment[];
  readonly #moreTests: readonly Assignment[];
  readonly #variables: readonly Variable[];
  /** Of the evaluator, which signatures share. */
  readonly #stepsBefore: number;
  /** By type. */
  readonly #classes = new Map<string, ClassTree>();
  /** First terms of their classes, by number of functions, then by type. */
  readonly #levels: Map<string, Classed[]>[] = [];
  readonly #rules: Rule[] = [];
  readonly #random: SmallRandom;
  /** Applications of functions, by type: what random equations are made of. */
  readonly #applications = new Map<string, Term[]>();
  #terms = 0;
  #considered = 0;
  #withoutValue = 0;

  constructor(
    symbols: readonly TermSymbol[],
    parts: { readonly signature: SignatureReader; readonly evaluator: Evaluator; readonly seed: number },
    limits: ExploreLimits = EXPLORE_LIMITS,
  ) {
    this.#evaluator = parts.evaluator;
    this.#stepsBefore = parts.evaluator.steps;
    this.#limits = limits;
    this.#symbols = symbols;
    this.#variables = variablesFor(symbols, parts.signature, limits.variablesMax);
    const random = new SmallRandom(parts.seed);
    this.#random = random;
    const assignments = Array.from({ length: TESTS + MORE_TESTS }, (_, test): Assignment => {
      const isFurther = test >= TESTS;
      const size = test === 0 ? 0 : 1 + (test % (isFurther ? MORE_SIZE_MAX : SIZE_MAX));
      const values = new Map<string, Value>();
      const last = new Map<string, Value>();
      for (const variable of this.#variables) {
        const type = typeKey(variable.type);
        const isSame = isFurther && random.below(SAME_ONCE_IN) === 0;
        const value =
          (isSame ? last.get(type) : undefined) ?? sampleValue(parts.signature, variable.type, size, random)!;
        values.set(variableTerm(variable).key, value);
        last.set(type, value);
      }
      return values;
    });
    // A value that could not be made leaves the whole test out.
    const whole = assignments.filter((assignment) => [...assignment.values()].every((value) => value !== null));
    this.#tests = whole.slice(0, TESTS);
    this.#moreTests = whole.slice(TESTS);
  }

  /** Gives way to other work of the process after some hundred terms. */
  async explore(signal?: AbortSignal): Promise<Explored> {
    for (const _ of this.#steps()) {
      signal?.throwIfAborted();
      await turn();
    }
    const equations = [...this.#kept(), ...this.#conditional()].sort((a, b) => functionsOf(a) - functionsOf(b));
    return { equations, terms: this.#terms, withoutValue: this.#withoutValue };
  }

  *#steps(): Generator<void> {
    this.#levels.push(new Map());
    for (const variable of this.#variables) {
      const term = variableTerm(variable);
      this.#class({ term, args: [], values: this.#tests.map((test) => test.get(term.key)!) }, 0);
    }
    yield* this.#grow(0);
    for (let functions = 1; functions <= this.#limits.functionsMax && !this.#isOver(); functions++) {
      this.#levels.push(new Map());
      for (const symbol of this.#symbols)
        if (!symbol.isConstructor) yield* this.#applyTo(symbol, functions - 1, functions);
      yield* this.#grow(functions);
    }
  }

  /** Constructors around the terms of a level. */
  *#grow(functions: number): Generator<void> {
    for (const symbol of this.#symbols) if (symbol.isConstructor) yield* this.#applyTo(symbol, functions, functions);
  }

  #isOver(): boolean {
    const { termsMax, equationsMax, stepsMax } = this.#limits;
    return (
      this.#terms >= termsMax ||
      this.#considered >= CONSIDERED_PER_TERM * termsMax ||
      this.#rules.length >= equationsMax ||
      this.#evaluator.steps - this.#stepsBefore >= stepsMax
    );
  }

  /** All applications of the symbol whose arguments have so many functions together. */
  *#applyTo(
    symbol: TermSymbol,
    functions: number,
    level: number,
    args: readonly Classed[] = [],
    left = functions,
  ): Generator<void> {
    const place = args.length;
    if (place === symbol.arguments.length) {
      if (left > 0) return;
      this.#apply(symbol, args, level);
      if (this.#considered % TERMS_AT_ONCE === 0) yield;
      return;
    }
    const isLast = place + 1 === symbol.arguments.length;
    for (let own = isLast ? left : 0; own <= left; own++) {
      const pool = this.#levels[own]?.get(typeKey(symbol.arguments[place]!)) ?? [];
      // The list may grow while it is walked, by constructors of its own type.
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

  /** Under the test of that number. */
  #valueUnder(test: number, one: Classed): Value | null {
    let value = one.values[test];
    if (value === undefined) {
      const { form } = one.term;
      const given = one.args.map((part) => this.#valueUnder(test, part));
      const isWhole = 'symbol' in form && given.every((part) => part !== null);
      value = isWhole ? this.#evaluator.apply(form.symbol, given as Value[]) : null;
      one.values[test] = value;
    }
    return value;
  }

  /**
   * The first term of its class; itself where it begins one. Tests are asked for only as far as they tell classes apart, which
   * spares most of them.
   */
  #firstOf(one: Classed): Classed {
    const type = typeKey(one.term.type);
    const root = this.#classes.get(type);
    if (root === undefined) {
      this.#classes.set(type, { first: one, branches: null });
      return one;
    }
    let node: ClassTree = root;
    for (const [test] of this.#tests.entries()) {
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
      // What has no value under some test says nothing.
      if (one.values.includes(null)) this.#withoutValue++;
      else this.#found({ left: one.term, right: first.term });
      return;
    }
    addTo(this.#levels[level]!, typeKey(one.term.type), one);
  }

  /**
   * After `explore`: well-typed equations between two of its terms, chosen without a look at their values. Fewer where terms that go
   * together are rare.
   */
  randomEquations(count: number): Equation[] {
    const pools = [...this.#applications.values()];
    const all = pools.flat();
    const found = new Map<string, Equation>();
    for (let left = all.length === 0 ? 0 : count * DRAWS_PER_EQUATION; left > 0 && found.size < count; left--) {
      const one = all[this.#random.below(all.length)]!;
      const pool = this.#applications.get(typeKey(one.type))!;
      const equation = { left: one, right: pool[this.#random.below(pool.length)]! };
      if (equation.right !== one && isNamedLeft(equation)) found.set(`${one.key} ${equation.right.key}`, equation);
    }
    return [...found.values()];
  }

  #found(equation: Equation): void {
    const { left, right } = equation;
    if (!isNamedLeft(equation)) return;
    for (const test of this.#moreTests) {
      const value = this.#valueOf(left, test);
      if (value === null || value.key !== this.#valueOf(right, test)?.key) return;
    }
    this.#rules.push({ equation, isPermutation: matches(left, right, new Map()) });
  }

  /**
   * Without those that follow from one other by putting terms in the places of variables (of two that follow from each other the
   * first stays), and those whose sides the ones kept before rewrite to one term.
   */
  #kept(): Equation[] {
    const follows = (place: number, from: number): boolean =>
      isInstance(this.#rules[place]!.equation, this.#rules[from]!.equation);
    const general = this.#rules.filter(
      (_, place) =>
        !this.#rules.some(
          (_other, from) => from !== place && follows(place, from) && (from < place || !follows(from, place)),
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
   * `p = b → q = c` over tests p and q of the signature, such as `leq n m = false → leq m n = true`; p is one function of
   * variables, all of which q has. Without those that put terms in the places of another one's variables.
   */
  #conditional(): Equation[] {
    const tests = [1, 2]
      .flatMap((functions) => this.#levels[functions]?.get('Bool') ?? [])
      .sort((a, b) => a.term.functions + a.term.constructors - (b.term.functions + b.term.constructors));
    const truths = this.#symbols.filter(({ isConstructor, result }) => isConstructor && result.head === 'Bool');
    const known = truths.map((symbol) => ({
      term: applied(symbol, []),
      value: this.#evaluator.apply(symbol, [])?.key,
    }));
    const found: Equation[] = [];
    for (const one of tests)
      for (const condition of tests) {
        if (found.length >= CONDITIONAL_MAX || one === condition || !isTestOf(condition.term, one.term)) continue;
        for (const { term: right, value } of known) {
          const isMet = (test: number): boolean => this.#valueUnder(test, condition)?.key === value;
          const [met, failed] = [
            this.#tests.keys().filter(isMet).toArray(),
            this.#tests.keys().filter((test) => !isMet(test)),
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
    const meeting = this.#moreTests.filter((test) => this.#valueOf(condition.left, test)?.key === met);
    return meeting.length >= MORE_MEETING_MIN && meeting.every((test) => this.#valueOf(left, test)?.key === expected);
  }

  /** Does an equation found earlier rewrite it at its root? Its parts are first in their classes. */
  #isRewritten(term: Term): boolean {
    return this.#rules.some((rule) => rewritten(term, rule) !== null);
  }

  #valueOf({ form, key }: Term, test: Assignment): Value | null {
    if ('variable' in form) return test.get(key) ?? null;
    const args: Value[] = [];
    for (const part of form.args) {
      const value = this.#valueOf(part, test);
      if (value === null) return null;
      args.push(value);
    }
    return this.#evaluator.apply(form.symbol, args);
  }
}
