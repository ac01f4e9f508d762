/**
 * Finds functions that equal one of Lean's core library on tests, such as `plus n m = n + m`. Once the equation is
 * proved and used as a rewrite rule, the core library's theorems and Lean's decision procedures for numbers apply to
 * the other function.
 */
import { CORE_FUNCTIONS } from './core-functions.ts';
import { ARROW, type GroundType, instantiateType, typeKey } from './ground-type.ts';
import type { SymbolReader, TermSymbol } from './symbol-schemes.ts';
import { applied, type Equation, type Term, type Variable, variableTerm } from './terms.ts';
import type { TestValues } from './test-values.ts';

/** Finds equivalents, and caches the result for each function. */
export class CoreEquivalents {
  readonly #reader: SymbolReader;
  readonly #found = new Map<string, Term | null>();

  constructor(reader: SymbolReader) {
    this.#reader = reader;
  }

  /**
   * Returns equations between functions of the symbols (left) and of the core library (right), together with those for
   * the functions in its definition: the proof of `times n m = n * m` needs `plus n m`.
   * @param mentions as in `Vocabulary`
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

  /**
   * Returns applications of core functions to the variables, in this order or in another one that their types
   * determine.
   */
  #like({ types, arguments: given, result }: TermSymbol, variables: readonly Term[]): Term[] {
    const leaves = new Map([...given, result].flatMap(leavesOf).map((type) => [typeKey(type), type]));
    return [...CORE_FUNCTIONS.keys()].flatMap((name) => {
      const scheme = this.#reader.scheme(this.#reader.terms.names.of(name));
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

/** Returns the terms permuted to fit these types; null if they do not fit. */
function inOrderOf(types: readonly GroundType[], terms: readonly Term[]): Term[] | null {
  const left = [...terms];
  const chosen = types.flatMap((type) => {
    const index = left.findIndex((term) => typeKey(term.type) === typeKey(type));
    return index < 0 ? [] : left.splice(index, 1);
  });
  return left.length === 0 && chosen.length === types.length ? chosen : null;
}

const leavesOf = (type: GroundType): GroundType[] => (type.args.length === 0 ? [type] : type.args.flatMap(leavesOf));

/** Returns a variable for each argument; null if the test values have too few, or if there is no argument. */
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
