/** Reads and writes the equations of a signature as words (`packages/config/schemas/equation-words.ts`). */
import { EQUALS, IMPLIES, type TermSignature, variableWord } from '@stp/config/words';
import { type GroundType, typeKey } from './ground-type.ts';
import type { TermSymbol } from './symbol-schemes.ts';
import { applied, type Equation, type Term, type Variable, variableTerm } from './terms.ts';

export class Wording {
  readonly signature: TermSignature;
  readonly #numbers = new Map<string, number>();
  readonly #symbols: ReadonlyMap<string, readonly TermSymbol[]>;
  readonly #variables = new Map<string, Term>();

  constructor(symbols: readonly TermSymbol[], variables: readonly Variable[]) {
    const all = [
      ...symbols.flatMap(({ arguments: given, result }) => [...given, result]),
      ...variables.map(({ type }) => type),
    ];
    const types = new Map(all.map((type) => [typeKey(type), type]));
    // Number types independently of the order in which a statement mentions its functions.
    for (const [index, key] of [...types.keys()].sort().entries()) this.#numbers.set(key, index);
    const numberOf = (type: GroundType): number => this.#numbers.get(typeKey(type))!;
    // A constructor may occur at several types; its position in the equation determines which one is meant.
    this.#symbols = Map.groupBy(symbols, ({ name }) => name);
    const counts = Map.groupBy(variables, ({ type }) => numberOf(type));
    for (const variable of variables)
      this.#variables.set(variableWord(numberOf(variable.type), variable.index), variableTerm(variable));
    this.signature = {
      types: [...this.#numbers].map(([key, index]) => ({
        head: types.get(key)!.head,
        variables: counts.get(index)?.length ?? 0,
      })),
      symbols: symbols.map(({ name, arguments: given, result, isConstructor }) => ({
        name,
        arguments: given.map(numberOf),
        result: numberOf(result),
        isConstructor,
      })),
    };
  }

  /** Returns null if the words are not an equation between well-typed terms. */
  read(words: readonly string[]): Equation | null {
    const reader = new WordReader(words, this.#symbols, this.#variables);
    const first = reader.equation();
    if (first === null || reader.isDone) return first;
    const second = reader.next() === IMPLIES ? reader.equation() : null;
    return second === null || !reader.isDone ? null : { ...second, condition: first };
  }

  /** Returns null if neither side begins with a function, which `read` requires. */
  write({ left, right, condition }: Equation): string[] | null {
    const first = condition === undefined ? [] : this.write(condition);
    const sides = [left, right].sort((a, b) => Number(startsWithFunction(b)) - Number(startsWithFunction(a)));
    if (first === null || !startsWithFunction(sides[0]!)) return null;
    const words = sides.map((side) => this.#term(side));
    return [...first, ...(first.length > 0 ? [IMPLIES] : []), ...words[0]!, EQUALS, ...words[1]!];
  }

  #term({ form }: Term): string[] {
    if ('symbol' in form) return [form.symbol.name, ...form.args.flatMap((part) => this.#term(part))];
    const { type, index } = form.variable;
    return [variableWord(this.#numbers.get(typeKey(type))!, index)];
  }
}

const startsWithFunction = ({ form }: Term): boolean => 'symbol' in form && !form.symbol.isConstructor;

class WordReader {
  readonly #words: readonly string[];
  readonly #symbols: ReadonlyMap<string, readonly TermSymbol[]>;
  readonly #variables: ReadonlyMap<string, Term>;
  #at = 0;

  constructor(
    words: readonly string[],
    symbols: ReadonlyMap<string, readonly TermSymbol[]>,
    variables: ReadonlyMap<string, Term>,
  ) {
    this.#words = words;
    this.#symbols = symbols;
    this.#variables = variables;
  }

  get isDone(): boolean {
    return this.#at >= this.#words.length;
  }

  next(): string | undefined {
    return this.#words[this.#at++];
  }

  equation(): Equation | null {
    const left = this.#term(null);
    if (left === null || this.next() !== EQUALS) return null;
    const right = this.#term(left.type);
    return right === null ? null : { left, right };
  }

  /** @param type required type; null if the term must begin with a function, which determines it */
  #term(type: GroundType | null): Term | null {
    const word = this.next() ?? '';
    const fits = (its: GroundType): boolean => type !== null && typeKey(its) === typeKey(type);
    const variable = this.#variables.get(word);
    if (variable !== undefined) return fits(variable.type) ? variable : null;
    const symbol = this.#symbols.get(word)?.find((one) => (type === null ? !one.isConstructor : fits(one.result)));
    if (symbol === undefined) return null;
    const args: Term[] = [];
    for (const its of symbol.arguments) {
      const argument = this.#term(its);
      if (argument === null) return null;
      args.push(argument);
    }
    return applied(symbol, args);
  }
}
