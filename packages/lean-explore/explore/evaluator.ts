/**
 * Computes values of closed terms: terms that consist only of constructors. The second kernel reduces functions applied
 * to values; a term that it cannot reduce within its limits has no value. Each application is computed once, but
 * charged to every caller, so that a caller's budget does not depend on earlier calls by others.
 */
import {
  apply,
  argumentsOf,
  type Checker,
  CONSTANT,
  type CompiledLibrary,
  DEFAULT_LIMITS,
  EMPTY_LEVELS,
  type Expr,
  headOf,
  Kernel,
  type LevelList,
  NATURAL,
  type Name,
  type Terms,
} from '@stp/lean-kernel';
import { ARROW, ELEMENT, type GroundType, instantiateType, NATURAL_TYPE, typeKey } from './ground-type.ts';
import type { SymbolReader, SymbolScheme, TermSymbol } from './symbol-schemes.ts';

/** Limits for one application: thousands of applications should take seconds. */
const LIMITS = { ...DEFAULT_LIMITS, fuel: 20_000, nodes: 100_000 };
/** Maximum size of a value: its constructors plus its numbers. */
const VALUE_SIZE_MAX = 400;

export interface Value {
  /** Equal for equal values of the same type. */
  readonly key: string;
  readonly type: GroundType;
  readonly form:
    | { readonly kind: 'natural'; readonly value: bigint }
    | { readonly kind: 'constructor'; readonly name: Name; readonly fields: readonly Value[] }
    | { readonly kind: 'function'; readonly text: string; readonly expr: (terms: Terms) => Expr };
}

export function naturalValue(value: bigint): Value {
  return { key: String(value), type: NATURAL_TYPE, form: { kind: 'natural', value } };
}

export interface Meter {
  /** Kernel steps, each application counted once. About ten million take a second when they are computed. */
  steps: number;
}

interface Result {
  readonly value: Value | null;
  readonly steps: number;
  /** The last caller that was charged for it. */
  charged: Meter | null;
}

export class Evaluator {
  readonly #terms: Terms;
  readonly #kernel: Kernel;
  readonly #reader: SymbolReader;
  readonly #results = new Map<string, Result>();
  /** Inductive types and constructors that were read: their numbers of levels, and the parameters of constructors. */
  readonly #constants = new Map<Name, { readonly levels: number; readonly parameters: number | null }>();
  readonly #prepared = new Set<string>();
  readonly #zero: Name;
  readonly #successor: Name;

  constructor(terms: Terms, library: CompiledLibrary, reader: SymbolReader) {
    this.#terms = terms;
    this.#kernel = new Kernel(terms, { limits: LIMITS, trusted: library });
    this.#reader = reader;
    this.#zero = terms.names.of('Nat.zero');
    this.#successor = terms.names.of('Nat.succ');
  }

  /** Returns null if the application has no value. */
  apply(symbol: TermSymbol, values: readonly Value[], meter: Meter): Value | null {
    const key = [symbol.name, typeKey(symbol.result), ...values.map((value) => value.key)].join(' ');
    let known = this.#results.get(key);
    if (known === undefined) {
      this.#prepare(symbol.result);
      for (const type of [...symbol.types, ...symbol.arguments]) this.#prepare(type);
      let steps = 0;
      const value = this.#kernel.ask((checker) => {
        const applied = this.#application(symbol.scheme, symbol.types, values);
        try {
          return applied === null ? null : this.#read(checker, applied, symbol.result, { size: 0 });
        } finally {
          steps = checker.budget.spent;
        }
      });
      known = { value, steps, charged: null };
      this.#results.set(key, known);
    }
    if (known.charged !== meter) {
      meter.steps += known.steps;
      known.charged = meter;
    }
    return known.value;
  }

  /**
   * Reads the constructors of a type and of their fields in advance, because nothing can be read while the kernel
   * works.
   */
  #prepare(type: GroundType): void {
    const key = typeKey(type);
    if (this.#prepared.has(key)) return;
    this.#prepared.add(key);
    for (const argument of type.args) this.#prepare(argument);
    if (type.head === ELEMENT) this.#prepare(NATURAL_TYPE);
    if (type.head === ELEMENT || type.head === ARROW) return;
    const name = this.#terms.names.of(type.head);
    const constructors = this.#reader.inductive(type.head)?.constructors ?? [];
    for (const one of [name, ...constructors]) {
      const constant = this.#reader.library.constant(one);
      if (constant === null) continue;
      const parameters = constant.kind === 'constructor' ? constant.parameters : null;
      this.#constants.set(one, { levels: constant.levelParams.length, parameters });
    }
    for (const one of constructors)
      for (const slot of this.#reader.scheme(one)?.slots ?? [])
        if (slot.kind === 'value') this.#prepare(instantiateType(slot.type, type.args));
  }

  #application(scheme: SymbolScheme, types: readonly GroundType[], values: readonly Value[]): Expr | null {
    const terms = this.#terms;
    let expr: Expr | null = terms.constant(scheme.name, this.#zeros(scheme.levels));
    let value = 0;
    for (const slot of scheme.slots) {
      const argument: Expr | null =
        slot.kind === 'type'
          ? this.#type(types[slot.variable]!)
          : slot.kind === 'instance'
            ? this.#equality(slot.name)
            : this.#value(values[value++]!);
      if (argument === null) return null;
      expr = terms.application(expr, argument);
    }
    return expr;
  }

  /** The equality test of numbers, which is used for every type that requires such a test. */
  #equality(className: string): Expr {
    const { names } = this.#terms;
    const decide = this.#terms.constant(names.of('instDecidableEqNat'), EMPTY_LEVELS);
    if (className === 'DecidableEq') return decide;
    const test = this.#terms.constant(names.of('instBEqOfDecidableEq'), this.#zeros(1));
    return apply(this.#terms, test, [this.#type(NATURAL_TYPE)!, decide]);
  }

  #zeros(count: number): LevelList {
    const { levels } = this.#terms;
    return levels.list(Array.from({ length: count }, () => levels.zero));
  }

  #type({ head, args }: GroundType): Expr | null {
    const terms = this.#terms;
    if (head === ELEMENT) return this.#type(NATURAL_TYPE);
    const parts = args.map((its) => this.#type(its));
    if (parts.some((part) => part === null)) return null;
    if (head === ARROW) return terms.forall(parts[0]!, parts[1]!);
    const name = terms.names.of(head);
    const constant = this.#constants.get(name);
    if (constant === undefined) return null;
    return apply(terms, terms.constant(name, this.#zeros(constant.levels)), parts as Expr[]);
  }

  #value({ type, form }: Value): Expr | null {
    if (form.kind === 'natural') return this.#terms.natural(form.value);
    if (form.kind === 'function') return form.expr(this.#terms);
    const scheme = this.#reader.scheme(form.name);
    return scheme === null ? null : this.#application(scheme, type.args, form.fields);
  }

  /** Returns null if there is no constructor at the head, or if the value is too large. */
  #read(checker: Checker, expr: Expr, type: GroundType, spent: { size: number }): Value | null {
    const terms = this.#terms;
    if (type.head === 'Nat' || type.head === ELEMENT) return this.#natural(checker, expr, spent);
    if (++spent.size > VALUE_SIZE_MAX) return null;
    const whole = checker.reduction.whnf(expr);
    const head = headOf(terms, whole);
    if (terms.kind(head) !== CONSTANT) return null;
    const name = terms.name(head);
    // Constructors were read in advance. The head may be a function whose application is stuck, which must not be read
    // here.
    const parameters = this.#constants.get(name)?.parameters ?? null;
    const scheme = parameters === null ? null : this.#reader.scheme(name);
    if (scheme === null || parameters === null) return null;
    const given = argumentsOf(terms, whole).slice(parameters);
    const types = scheme.slots.flatMap((slot) =>
      slot.kind === 'value' ? [instantiateType(slot.type, type.args)] : [],
    );
    if (types.length !== given.length) return null;
    const fields: Value[] = [];
    for (const [index, its] of given.entries()) {
      const field = this.#read(checker, its, types[index]!, spent);
      if (field === null) return null;
      fields.push(field);
    }
    const key = `(${[terms.names.last(name), ...fields.map((field) => field.key)].join(' ')})`;
    return { key, type, form: { kind: 'constructor', name, fields } };
  }

  #natural(checker: Checker, expr: Expr, spent: { size: number }): Value | null {
    const terms = this.#terms;
    let at = expr;
    for (let above = 0n; ; above++) {
      if (++spent.size > VALUE_SIZE_MAX) return null;
      at = checker.reduction.whnf(at);
      if (terms.kind(at) === NATURAL) return naturalValue(terms.naturalValue(at) + above);
      const head = headOf(terms, at);
      if (terms.kind(head) !== CONSTANT) return null;
      if (terms.name(head) === this.#zero) return naturalValue(above);
      if (terms.name(head) !== this.#successor) return null;
      at = terms.argument(at);
    }
  }
}
