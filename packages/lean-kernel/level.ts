/**
 * Interned universe levels and lists of levels: zero, successor, maximum, impredicative maximum (`imax u v` is zero if
 * `v` is zero), and parameters. `level-order.ts` defines their order.
 */
import { NodeTable } from './interning.ts';
import type { Name, NameTable } from './name.ts';
import { Decline } from './verdict.ts';

declare const brand: unique symbol;

export type Level = number & { readonly [brand]: 'Level' };
/** A list of levels as a number: equal lists have equal numbers. */
export type LevelList = number & { readonly [brand]: 'LevelList' };

export const LEVEL_ZERO = 0;
export const LEVEL_SUCCESSOR = 1;
export const LEVEL_MAXIMUM = 2;
export const LEVEL_IMPREDICATIVE_MAXIMUM = 3;
export const LEVEL_PARAMETER = 4;

export const EMPTY_LEVELS = 0 as LevelList;

/** Maximum nesting of a level, which bounds recursion over levels. */
const LEVEL_HEIGHT_MAX = 2_000;

/**
 * Maximum universe parameters of one constant. Lean's library has none with more than 30. Lists of levels are traversed
 * at each use.
 */
export const LIST_LENGTH_MAX = 500;

export class LevelTable {
  readonly #levels = new NodeTable('levels');
  readonly #lists = new NodeTable('lists of levels');
  #heights: number[] = [];
  #hasParameter: boolean[] = [];
  readonly zero: Level;
  readonly one: Level;

  constructor() {
    this.zero = this.#make(LEVEL_ZERO, 0, 0);
    this.one = this.successor(this.zero);
    this.#lists.intern(0, 0, 0, 0, true); // The empty list.
  }

  successor(level: Level): Level {
    return this.#make(LEVEL_SUCCESSOR, level, 0);
  }

  maximum(left: Level, right: Level): Level {
    return this.#make(LEVEL_MAXIMUM, left, right);
  }

  impredicativeMaximum(left: Level, right: Level): Level {
    return this.#make(LEVEL_IMPREDICATIVE_MAXIMUM, left, right);
  }

  parameter(name: Name): Level {
    return this.#make(LEVEL_PARAMETER, name, 0);
  }

  kind(level: Level): number {
    return this.#levels.kinds[level]!;
  }

  /** Returns the first operand of a successor, a maximum or an impredicative maximum. */
  left(level: Level): Level {
    return this.#levels.first[level]! as Level;
  }

  /** Returns the second operand of a maximum or an impredicative maximum. */
  right(level: Level): Level {
    return this.#levels.second[level]! as Level;
  }

  /** Returns the name of a parameter. */
  name(level: Level): Name {
    return this.#levels.first[level]! as Name;
  }

  height(level: Level): number {
    return this.#heights[level]!;
  }

  hasParameter(level: Level): boolean {
    return this.#hasParameter[level]!;
  }

  isPermanent(level: Level): boolean {
    return level < this.#levels.permanentCount;
  }

  isPermanentList(list: LevelList): boolean {
    return list < this.#lists.permanentCount;
  }

  list(levels: readonly Level[]): LevelList {
    if (levels.length > LIST_LENGTH_MAX) throw new Decline(`a list of more than ${LIST_LENGTH_MAX} universe levels`);
    let list = EMPTY_LEVELS;
    for (let at = levels.length - 1; at >= 0; at--) list = this.cons(levels[at]!, list);
    return list;
  }

  cons(head: Level, tail: LevelList): LevelList {
    return this.#lists.intern(1, head, tail, 0, this.isPermanent(head) && this.isPermanentList(tail)) as LevelList;
  }

  /** Returns the head of a non-empty list. */
  head(list: LevelList): Level {
    return this.#lists.first[list]! as Level;
  }

  tail(list: LevelList): LevelList {
    return this.#lists.second[list]! as LevelList;
  }

  array(list: LevelList): Level[] {
    const levels: Level[] = [];
    for (let at = list; at !== EMPTY_LEVELS; at = this.tail(at)) levels.push(this.head(at));
    return levels;
  }

  length(list: LevelList): number {
    let length = 0;
    for (let at = list; at !== EMPTY_LEVELS; at = this.tail(at)) length++;
    return length;
  }

  /**
   * Prints the first `charactersMax` characters of a level for people. Shared parts are printed at each occurrence, so
   * the complete text may be very long.
   */
  print(level: Level, names: NameTable, charactersMax: number): string {
    let text = '';
    const write = (at: Level): void => {
      if (text.length > charactersMax) return;
      switch (this.kind(at)) {
        case LEVEL_ZERO:
          text += '0';
          return;
        case LEVEL_SUCCESSOR: {
          let base = at;
          let offset = 0;
          for (; this.kind(base) === LEVEL_SUCCESSOR; base = this.left(base)) offset++;
          if (this.kind(base) !== LEVEL_ZERO) write(base);
          text += this.kind(base) === LEVEL_ZERO ? String(offset) : `+${offset}`;
          return;
        }
        case LEVEL_PARAMETER:
          text += names.print(this.name(at));
          return;
        default:
          text += this.kind(at) === LEVEL_MAXIMUM ? '(max ' : '(imax ';
          write(this.left(at));
          text += ' ';
          write(this.right(at));
          text += ')';
      }
    };
    write(level);
    return text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
  }

  openScratch(): void {
    this.#levels.openScratch();
    this.#lists.openScratch();
  }

  dropScratch(): void {
    this.#levels.dropScratch();
    this.#lists.dropScratch();
    this.#heights.length = this.#levels.count;
    this.#hasParameter.length = this.#levels.count;
  }

  #make(kind: number, left: number, right: number): Level {
    const isParameter = kind === LEVEL_PARAMETER || kind === LEVEL_ZERO;
    const mayBePermanent = isParameter || (left < this.#levels.permanentCount && right < this.#levels.permanentCount);
    // The operands of a leaf are not levels.
    const height = isParameter ? 0 : 1 + Math.max(this.#heights[left]!, this.#heights[right]!);
    if (height > LEVEL_HEIGHT_MAX) throw new Decline(`a universe level nested deeper than ${LEVEL_HEIGHT_MAX}`);
    const before = this.#levels.count;
    const level = this.#levels.intern(kind, left, right, 0, mayBePermanent) as Level;
    if (level < before) return level;
    this.#heights[level] = height;
    this.#hasParameter[level] =
      kind === LEVEL_PARAMETER || (!isParameter && (this.#hasParameter[left]! || this.#hasParameter[right]!));
    return level;
  }
}
