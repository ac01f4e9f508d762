/**
 * Interned expressions: an expression is a number, and equal expressions have equal numbers. Names of bound variables,
 * binder kinds and annotations are not kept. Bound variables are de Bruijn indices. An opened binder becomes a local
 * variable; local variables are numbered anew for each declaration.
 *
 * Each node stores the range of its outside bound variables (`looseBound`), its newest local variable (`freeBound`),
 * whether it has level parameters, and its height. The height is bounded, so recursion over an expression is safe.
 */
import { grown, NodeTable } from './interning.ts';
import { type Level, type LevelList, LevelTable } from './level.ts';
import { type Name, NameTable } from './name.ts';
import { textKey } from './text-key.ts';
import { Decline } from './verdict.ts';

declare const brand: unique symbol;

export type Expr = number & { readonly [brand]: 'Expr' };

export const BOUND = 0;
export const LOCAL = 1;
export const SORT = 2;
export const CONSTANT = 3;
export const APPLICATION = 4;
export const LAMBDA = 5;
export const FORALL = 6;
export const LET = 7;
export const PROJECTION = 8;
export const NATURAL = 9;
export const STRING = 10;

const BOUND_INDEX_MAX = (1 << 24) - 1;
/**
 * Maximum height. Traversals recurse once per level; the kernel's thread has the necessary stack, and a test traverses
 * terms of almost this height (`run/check-in-thread.ts`). Lean's library stays far below it.
 */
export const EXPRESSION_HEIGHT_MAX = 100_000;

const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** The tables behind all terms of one or more environments. Terms of different tables must not be mixed. */
export class Terms {
  readonly names = new NameTable();
  readonly levels = new LevelTable();
  readonly nodes = new NodeTable('expressions');
  readonly #naturals: bigint[] = [];
  readonly #naturalIndex = new Map<number | string, number>();
  readonly #strings: string[] = [];
  readonly #stringIndex = new Map<string, number>();
  #permanentNaturals = 0;
  #permanentStrings = 0;
  #looseBounds = new Int32Array(this.nodes.capacity);
  #freeBounds = new Int32Array(this.nodes.capacity);
  #heights = new Int32Array(this.nodes.capacity);
  #hasParameters = new Uint8Array(this.nodes.capacity);

  /** Returns the bound variable of the `index`-th enclosing binder, where 0 is the innermost. */
  bound(index: number): Expr {
    if (!(index <= BOUND_INDEX_MAX)) throw new Decline(`a bound variable with an index above ${BOUND_INDEX_MAX}`);
    return this.#make(BOUND, index, 0, 0, true, index + 1, 0, 0, false);
  }

  /** Returns a local variable. The code that opens a binder keeps its type. Only in scratch. */
  local(number: number): Expr {
    return this.#make(LOCAL, number, 0, 0, false, 0, number + 1, 0, false);
  }

  sort(level: Level): Expr {
    const { levels } = this;
    return this.#make(SORT, level, 0, 0, levels.isPermanent(level), 0, 0, 0, levels.hasParameter(level));
  }

  constant(name: Name, list: LevelList): Expr {
    const { levels } = this;
    let hasParameter = false;
    for (let at = list; at !== 0 && !hasParameter; at = levels.tail(at))
      hasParameter = levels.hasParameter(levels.head(at));
    return this.#make(CONSTANT, name, list, 0, levels.isPermanentList(list), 0, 0, 0, hasParameter);
  }

  application(fn: Expr, argument: Expr): Expr {
    return this.#make(
      APPLICATION,
      fn,
      argument,
      0,
      this.isPermanent(fn) && this.isPermanent(argument),
      Math.max(this.#looseBounds[fn]!, this.#looseBounds[argument]!),
      Math.max(this.#freeBounds[fn]!, this.#freeBounds[argument]!),
      1 + Math.max(this.#heights[fn]!, this.#heights[argument]!),
      this.#hasParameters[fn] === 1 || this.#hasParameters[argument] === 1,
    );
  }

  lambda(type: Expr, body: Expr): Expr {
    return this.#binder(LAMBDA, type, body);
  }

  forall(type: Expr, body: Expr): Expr {
    return this.#binder(FORALL, type, body);
  }

  let(type: Expr, value: Expr, body: Expr): Expr {
    const loose = this.#looseBounds;
    const free = this.#freeBounds;
    const heights = this.#heights;
    return this.#make(
      LET,
      type,
      value,
      body,
      this.isPermanent(type) && this.isPermanent(value) && this.isPermanent(body),
      Math.max(loose[type]!, loose[value]!, loose[body]! - 1),
      Math.max(free[type]!, free[value]!, free[body]!),
      1 + Math.max(heights[type]!, heights[value]!, heights[body]!),
      this.hasLevelParameter(type) || this.hasLevelParameter(value) || this.hasLevelParameter(body),
    );
  }

  /** Returns field `index` (from 0) of a value of the structure. */
  projection(structure: Name, index: number, value: Expr): Expr {
    return this.#make(
      PROJECTION,
      structure,
      index,
      value,
      this.isPermanent(value),
      this.#looseBounds[value]!,
      this.#freeBounds[value]!,
      1 + this.#heights[value]!,
      this.hasLevelParameter(value),
    );
  }

  natural(value: bigint): Expr {
    const key = naturalKey(value);
    let index = this.#naturalIndex.get(key);
    if (index === undefined) {
      index = this.#naturals.length;
      this.#naturals.push(value);
      this.#naturalIndex.set(key, index);
    }
    return this.#make(NATURAL, index, 0, 0, true, 0, 0, 0, false);
  }

  string(value: string): Expr {
    const key = textKey(value);
    let index = this.#stringIndex.get(key);
    if (index === undefined) {
      index = this.#strings.length;
      this.#strings.push(value);
      this.#stringIndex.set(key, index);
    }
    return this.#make(STRING, index, 0, 0, true, 0, 0, 0, false);
  }

  kind(expr: Expr): number {
    return this.nodes.kinds[expr]!;
  }

  isApplication(expr: Expr): boolean {
    return this.nodes.kinds[expr] === APPLICATION;
  }

  /** Returns the number of a bound or a local variable. */
  number(expr: Expr): number {
    return this.nodes.first[expr]!;
  }

  /** Returns the level of a sort. */
  level(expr: Expr): Level {
    return this.nodes.first[expr]! as Level;
  }

  /** Returns the name of a constant, or of the structure of a projection. */
  name(expr: Expr): Name {
    return this.nodes.first[expr]! as Name;
  }

  /** Returns the levels of a constant. */
  levelList(expr: Expr): LevelList {
    return this.nodes.second[expr]! as LevelList;
  }

  /** Returns the function of an application. */
  fn(expr: Expr): Expr {
    return this.nodes.first[expr]! as Expr;
  }

  /** Returns the argument of an application. */
  argument(expr: Expr): Expr {
    return this.nodes.second[expr]! as Expr;
  }

  /** Returns the type of a binder: lambda, forall, let. */
  binderType(expr: Expr): Expr {
    return this.nodes.first[expr]! as Expr;
  }

  /** Returns the body of a lambda or a forall. */
  body(expr: Expr): Expr {
    return this.nodes.second[expr]! as Expr;
  }

  letValue(expr: Expr): Expr {
    return this.nodes.second[expr]! as Expr;
  }

  letBody(expr: Expr): Expr {
    return this.nodes.third[expr]! as Expr;
  }

  /** Returns the field's index of a projection. */
  fieldIndex(expr: Expr): number {
    return this.nodes.second[expr]!;
  }

  /** Returns the projected term of a projection. */
  projected(expr: Expr): Expr {
    return this.nodes.third[expr]! as Expr;
  }

  naturalValue(expr: Expr): bigint {
    return this.#naturals[this.nodes.first[expr]!]!;
  }

  stringValue(expr: Expr): string {
    return this.#strings[this.nodes.first[expr]!]!;
  }

  /** Returns one more than the largest index of a bound variable whose binder is outside; 0 if there is none. */
  looseBound(expr: Expr): number {
    return this.#looseBounds[expr]!;
  }

  /** Returns one more than the largest number of a local variable in it; 0 if there is none. */
  freeBound(expr: Expr): number {
    return this.#freeBounds[expr]!;
  }

  hasLevelParameter(expr: Expr): boolean {
    return this.#hasParameters[expr] === 1;
  }

  height(expr: Expr): number {
    return this.#heights[expr]!;
  }

  isPermanent(expr: Expr): boolean {
    return expr < this.nodes.permanentCount;
  }

  /** Opens the scratch level; `dropScratch` removes all later nodes. */
  openScratch(): void {
    this.levels.openScratch();
    this.nodes.openScratch();
    this.#permanentNaturals = this.#naturals.length;
    this.#permanentStrings = this.#strings.length;
  }

  dropScratch(): void {
    this.levels.dropScratch();
    this.nodes.dropScratch();
    for (const value of this.#naturals.splice(this.#permanentNaturals)) this.#naturalIndex.delete(naturalKey(value));
    for (const value of this.#strings.splice(this.#permanentStrings)) this.#stringIndex.delete(textKey(value));
  }

  #binder(kind: number, type: Expr, body: Expr): Expr {
    return this.#make(
      kind,
      type,
      body,
      0,
      this.isPermanent(type) && this.isPermanent(body),
      Math.max(this.#looseBounds[type]!, this.#looseBounds[body]! - 1),
      Math.max(this.#freeBounds[type]!, this.#freeBounds[body]!),
      1 + Math.max(this.#heights[type]!, this.#heights[body]!),
      this.#hasParameters[type] === 1 || this.#hasParameters[body] === 1,
    );
  }

  #make(
    kind: number,
    first: number,
    second: number,
    third: number,
    mayBePermanent: boolean,
    looseBound: number,
    freeBound: number,
    height: number,
    hasParameter: boolean,
  ): Expr {
    if (height > EXPRESSION_HEIGHT_MAX) throw new Decline(`an expression nested deeper than ${EXPRESSION_HEIGHT_MAX}`);
    const before = this.nodes.count;
    const expr = this.nodes.intern(kind, first, second, third, mayBePermanent) as Expr;
    if (expr < before) return expr;
    if (expr >= this.#looseBounds.length) {
      const capacity = this.nodes.capacity;
      this.#looseBounds = grown(new Int32Array(capacity), this.#looseBounds);
      this.#freeBounds = grown(new Int32Array(capacity), this.#freeBounds);
      this.#heights = grown(new Int32Array(capacity), this.#heights);
      this.#hasParameters = grown(new Uint8Array(capacity), this.#hasParameters);
    }
    this.#looseBounds[expr] = looseBound;
    this.#freeBounds[expr] = freeBound;
    this.#heights[expr] = height;
    this.#hasParameters[expr] = hasParameter ? 1 : 0;
    return expr;
  }
}

/**
 * Returns the key of a number in a map. The JavaScript engine hashes a big integer by its lowest word only, so numbers
 * chosen to agree in that word would collide; for a text it hashes the digits.
 */
function naturalKey(value: bigint): number | string {
  return value <= LARGEST_EXACT ? Number(value) : textKey(value.toString(16));
}
