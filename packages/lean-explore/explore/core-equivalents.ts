/**
 * Functions that Lean's core library has too, found by tests: `plus n m = n + m`. Once that is proved and rewrites, all that Lean knows
 * of its own function serves the other: theorems of its library, and its procedures for numbers.
 */
import { CORE_FUNCTIONS } from './core-functions.ts';
import { ARROW, type GroundType, instantiateType, typeKey } from './ground-type.ts';
import type { SignatureReader, TermSymbol } from './signature.ts';
import { applied, type Equation, type Term, type Variable, variableTerm } from './terms.ts';
import type { TestValues } from './test-values.ts';

/** Finds such functions; what it found of one holds of it in every signature. */
export class CoreEquivalents {
  readonly #signature: SignatureReader;
  readonly #found = new Map<string, Term | null>();

  constructor(signature: SignatureReader) {
    this.#signature = signature;
  }

  /**
   * Equations between functions of the symbols, on the left, and those of the core library, each with those of the functions that its
   * own one is defined by: the proof of `times n m = n * m` wants `plus n m = n + m`.
   * @param mentions as `Signature` has it
   */
  of(
    symbols: readonly TermSymbol[],
    values: TestValues,
    mentions: (full: string) => ReadonlySet<string>,
  ): { readonly equation: Equation; readonly after: readonly Equation[] }[] {
    const found = symbols.flatMap((symbol) => this.#of(symbol, values).map((equation) => ({ symbol, equation })));
    return found.map(({ symbol: { name }, equation }) => {
      const parts = found.filter(({ symbol: other }) => other.name !== name && mentions(name).has(other.name));
      return { equation, after: parts.map((part) => part.equation) };
    });
  }

  #of(symbol: TermSymbol, values: TestValues): Equation[] {
    const variables = symbol.isConstructor || CORE_FUNCTIONS.has(symbol.name) ? null : variablesFor(symbol, values);
    if (variables === null) return [];
    const left = applied(symbol, variables);
    const key = [symbol.name, ...symbol.types.map(typeKey)].join(' ');
    let right = this.#found.get(key);
    if (right === undefined) {
      const tests = [...values.tests, ...values.moreTests];
      const isEqual = (other: Term): boolean => tests.length > 0 && values.agree(left, other, tests);
      right = this.#like(symbol, variables).find(isEqual) ?? null;
      this.#found.set(key, right);
    }
    return right === null ? [] : [{ left, right }];
  }

  /** Functions of the core library that take the variables, in this order or in another one that their types tell. */
  #like({ types, arguments: given, result }: TermSymbol, variables: readonly Term[]): Term[] {
    const leaves = new Map([...given, result].flatMap(leavesOf).map((type) => [typeKey(type), type]));
    return [...CORE_FUNCTIONS.keys()].flatMap((name) => {
      const scheme = this.#signature.scheme(this.#signature.terms.names.of(name));
      if (scheme === null) return [];
      const filled = [...leaves.values()].map((type) => Array.from({ length: scheme.variables }, () => type));
      const choices = scheme.variables === types.length ? [types] : filled;
      return choices.flatMap((at): Term[] => {
        const asked = scheme.slots.flatMap((slot) => (slot.kind === 'value' ? [instantiateType(slot.type, at)] : []));
        const made = instantiateType(scheme.result, at);
        const args = inOrderOf(asked, variables);
        if (args === null || typeKey(made) !== typeKey(result)) return [];
        return [applied({ name, scheme, types: at, arguments: asked, result: made, isConstructor: false }, args)];
      });
    });
  }
}

/** Each of the terms once, of these types; null where they have others. */
function inOrderOf(types: readonly GroundType[], terms: readonly Term[]): Term[] | null {
  const left = [...terms];
  const chosen = types.flatMap((type) => {
    const place = left.findIndex((term) => typeKey(term.type) === typeKey(type));
    return place < 0 ? [] : left.splice(place, 1);
  });
  return left.length === 0 && chosen.length === types.length ? chosen : null;
}

const leavesOf = (type: GroundType): GroundType[] => (type.args.length === 0 ? [type] : type.args.flatMap(leavesOf));

/** A variable for each argument; null where the test values have not so many, or none at all are needed. */
function variablesFor({ arguments: given }: TermSymbol, values: TestValues): Term[] | null {
  const used = new Map<string, number>();
  const terms = given.flatMap((type): Term[] => {
    const key = typeKey(type);
    const index = used.get(key) ?? 0;
    used.set(key, index + 1);
    const variable = values.variables.find((one: Variable) => typeKey(one.type) === key && one.index === index);
    return variable === undefined ? [] : [variableTerm(variable)];
  });
  return terms.length === given.length && terms.some(({ type }) => type.head !== ARROW) ? terms : null;
}
