/**
 * Restricts a sample to a well-typed equation (`packages/config/schemas/typed-grammar.ts`): computes the tokens after
 * which an equation within the length limit can still be completed. Variables of a type are used in order, since
 * renaming them gives the same equation. The right side uses only variables of the left side, unless it then could not
 * be completed, and differs from the left side.
 */
import { StpError } from '@stp/base';
import type { TypedGrammar } from '@stp/config/records';
import { EQUALS, IMPLIES } from '@stp/config/words';
import type { Tokenizer } from '../../tokenizer/tokenizer.ts';

interface Symbol {
  readonly id: number;
  readonly arguments: readonly number[];
  readonly result: number;
  readonly kind: 'function' | 'constructor' | 'variable';
}

/** A grammar in the tokens of one model; shared by its samples. */
export class TypedTokens {
  readonly symbols: readonly Symbol[];
  readonly conditionType: number | null;
  readonly tokensMax: number;
  readonly equals: number;
  readonly implies: number;
  readonly end: number;

  /**
   * Throws STP1301 if a symbol is not one token of the model, or if two symbols for the same position have one token.
   */
  constructor(grammar: TypedGrammar, tokenizer: Tokenizer) {
    const needed = [...new Set([...grammar.symbols.map(({ token }) => token), EQUALS, IMPLIES])];
    const missing = needed.filter((token) => tokenizer.encode(token).length !== 1);
    if (missing.length > 0) {
      const which = `${missing.length} of its ${needed.length} tokens, such as ${JSON.stringify(missing[0])}`;
      throw wrongGrammar(`${which}, are not one token of the model, which has ${tokenizer.vocabulary.length}`);
    }
    const idOf = (token: string): number => tokenizer.encode(token)[0]!;
    this.symbols = grammar.symbols.map(({ token, ...symbol }) => ({ ...symbol, id: idOf(token) }));
    const keys = this.symbols.map(({ id, result, kind }) => (kind === 'function' ? `${id}` : `${id} of ${result}`));
    if (new Set(keys).size < keys.length) throw wrongGrammar('two symbols of one type have the same token');
    this.conditionType = grammar.conditionType;
    this.tokensMax = grammar.tokensMax;
    this.equals = idOf(EQUALS);
    this.implies = idOf(IMPLIES);
    this.end = tokenizer.endId;
  }

  /**
   * Returns the minimum number of tokens of a term of each type; infinite if no term ends. @param isUsable for
   * variables
   */
  leastSizes(isUsable: (symbol: Symbol) => boolean): ReadonlyMap<number, number> {
    const least = new Map<number, number>();
    for (let changed = true; changed; ) {
      changed = false;
      for (const symbol of this.symbols) {
        if (symbol.kind === 'variable' && !isUsable(symbol)) continue;
        const size = symbol.arguments.reduce((sum, type) => sum + (least.get(type) ?? Number.POSITIVE_INFINITY), 1);
        if (size >= (least.get(symbol.result) ?? Number.POSITIVE_INFINITY)) continue;
        least.set(symbol.result, size);
        changed = true;
      }
    }
    return least;
  }
}

function wrongGrammar(what: string): StpError {
  return new StpError(
    'STP1301',
    `the grammar of a sample does not fit: ${what}`,
    'Sample without a grammar, in a run with conjectures.source=explore, or from a model with slots.',
  );
}

type Part = 'left' | 'equals' | 'right' | 'over';

/** The writer of one sample. */
export class TypedWriter {
  readonly #tokens: TypedTokens;
  /** Minimum sizes with all variables, and with only those of the left side. */
  readonly #least: ReadonlyMap<number, number>;
  #leastRight: ReadonlyMap<number, number>;
  readonly #used = new Set<Symbol>();
  #part: Part = 'left';
  /** Types of the terms that are still to be written on this side, the next one last. */
  #open: number[] = [];
  #sideType: number | null = null;
  /** Whether the right side so far is a single constant constructor. */
  #isConstant = false;
  #hasCondition = false;
  #written = 0;
  /** Tokens of the left side, and of the right side so far. */
  #left: number[] = [];
  #right: number[] = [];

  constructor(tokens: TypedTokens) {
    this.#tokens = tokens;
    this.#least = tokens.leastSizes(() => true);
    this.#leastRight = this.#least;
  }

  /** Empty if no equation can be written. */
  allowed(): readonly number[] {
    const { equals, implies, end } = this.#tokens;
    switch (this.#part) {
      case 'equals':
        return [equals];
      case 'over':
        return this.#mayImply() ? [end, implies] : [end];
      case 'left':
      case 'right':
        return this.#withoutEcho(this.#candidates()).map(({ id }) => id);
    }
  }

  /** @param id one of the allowed tokens */
  push(id: number): void {
    const part = this.#part;
    const symbol = part === 'left' || part === 'right' ? this.#candidates().find((one) => one.id === id) : undefined;
    this.#written++;
    if (symbol !== undefined) {
      (part === 'left' ? this.#left : this.#right).push(id);
      this.#add(symbol);
    } else if (part === 'equals') this.#startRight();
    else if (id === this.#tokens.implies) {
      this.#hasCondition = true;
      this.#part = 'left';
      this.#left = [];
      this.#right = [];
    }
  }

  #add(symbol: Symbol): void {
    const isFirst = this.#open.length === (this.#part === 'left' ? 0 : 1);
    if (this.#part === 'left' && isFirst) this.#sideType = symbol.result;
    else this.#open.pop();
    this.#isConstant &&= isFirst && symbol.kind === 'constructor' && symbol.arguments.length === 0;
    this.#open.push(...symbol.arguments.toReversed());
    if (symbol.kind === 'variable') this.#used.add(symbol);
    if (this.#open.length === 0) this.#part = this.#part === 'left' ? 'equals' : 'over';
  }

  /** Drops candidates that make the right side equal the left side, if others are left. */
  #withoutEcho(candidates: readonly Symbol[]): readonly Symbol[] {
    if (this.#part !== 'right' || this.#right.length + 1 !== this.#left.length) return candidates;
    if (this.#right.some((id, index) => id !== this.#left[index])) return candidates;
    const others = candidates.filter(({ id }) => id !== this.#left.at(-1));
    return others.length === 0 ? candidates : others;
  }

  #startRight(): void {
    this.#part = 'right';
    this.#open = [this.#sideType!];
    this.#isConstant = true;
    const own = this.#tokens.leastSizes((symbol) => this.#used.has(symbol));
    const room = this.#tokens.tokensMax - this.#written - 1;
    const needed = own.get(this.#sideType!) ?? Number.POSITIVE_INFINITY;
    this.#leastRight = needed <= room ? own : this.#least;
  }

  /** Returns whether the text so far is a condition with room for an equation after it. */
  #mayImply(): boolean {
    if (this.#hasCondition || !this.#isConstant || this.#sideType !== this.#tokens.conditionType) return false;
    const shortest = this.#tokens.symbols
      .filter(({ kind }) => kind === 'function')
      .map((symbol) => this.#sizeWith(symbol, this.#least) + this.#restAfterLeft(symbol.result));
    return this.#written + 1 + Math.min(...shortest) <= this.#tokens.tokensMax;
  }

  #sizeWith({ arguments: given }: Symbol, least: ReadonlyMap<number, number>): number {
    return given.reduce((sum, type) => sum + (least.get(type) ?? Number.POSITIVE_INFINITY), 1);
  }

  /** Returns the minimum number of tokens for `=`, the right side and the end. */
  #restAfterLeft(type: number): number {
    return 2 + (this.#least.get(type) ?? Number.POSITIVE_INFINITY);
  }

  #candidates(): readonly Symbol[] {
    const isLeft = this.#part === 'left';
    const startsLeft = isLeft && this.#open.length === 0;
    const least = isLeft ? this.#least : this.#leastRight;
    const type = this.#open.at(-1);
    const room = this.#tokens.tokensMax - this.#written;
    const others = startsLeft ? [] : this.#open.slice(0, -1);
    const open = others.reduce((sum, its) => sum + (least.get(its) ?? Number.POSITIVE_INFINITY), 0);
    const ownVariables = !isLeft && this.#leastRight !== this.#least;
    return this.#tokens.symbols.filter((symbol) => {
      if (startsLeft ? symbol.kind !== 'function' : symbol.result !== type) return false;
      if (symbol.kind === 'variable' && !(ownVariables ? this.#used.has(symbol) : this.#isNext(symbol))) return false;
      const after = isLeft ? this.#restAfterLeft(startsLeft ? symbol.result : this.#sideType!) : 1;
      return this.#sizeWith(symbol, least) + open + after <= room;
    });
  }

  /** Returns whether a variable is already used, or the first unused one of its type. */
  #isNext(symbol: Symbol): boolean {
    if (this.#used.has(symbol)) return true;
    return (
      this.#tokens.symbols.find(
        (one) => one.kind === 'variable' && one.result === symbol.result && !this.#used.has(one),
      ) === symbol
    );
  }
}
