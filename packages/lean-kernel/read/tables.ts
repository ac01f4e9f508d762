/**
 * The three tables of an export: they map its indices of names, levels and expressions to this kernel's terms. Indices
 * may be sparse and come in any order, but a line may refer only to earlier lines, and no index may be defined twice.
 */
import type { Expr, Terms } from '../expr.ts';
import type { Level } from '../level.ts';
import { ANONYMOUS, type Name } from '../name.ts';

/** Thrown for a line that violates the format. The reader adds the position. */
export class Malformed extends Error {}

/** Indices up to this are kept in an array, even if sparse; larger ones in a map. */
const DENSE_MAX = 1 << 26;

export class IndexTable<Item extends number> {
  readonly #what: string;
  #dense = new Int32Array(1 << 10).fill(-1);
  readonly #sparse = new Map<number, Item>();
  #count = 0;
  readonly #countMax: number;

  constructor(what: string, countMax: number) {
    this.#what = what;
    this.#countMax = countMax;
  }

  get(index: unknown): Item {
    if (!isIndex(index)) throw new Malformed(`${this.#what} ${JSON.stringify(index)} is no index`);
    const item = index < this.#dense.length ? (this.#dense[index] as Item) : (this.#sparse.get(index) ?? -1);
    if (item === -1) throw new Malformed(`${this.#what} ${index} is not defined above`);
    return item as Item;
  }

  set(index: unknown, item: Item): void {
    if (!isIndex(index)) throw new Malformed(`${this.#what} ${JSON.stringify(index)} is no index`);
    if (++this.#count > this.#countMax) throw new Malformed(`more than ${this.#countMax} of: ${this.#what}`);
    // Use an array while there are about as many indices as items, and a map for indices far beyond.
    if (index >= this.#dense.length && index < Math.min(DENSE_MAX, 4 * this.#count + 1024)) this.#growTo(index);
    if ((index < this.#dense.length ? this.#dense[index]! : (this.#sparse.get(index) ?? -1)) !== -1)
      throw new Malformed(`${this.#what} ${index} is defined twice`);
    if (index < this.#dense.length) this.#dense[index] = item;
    else this.#sparse.set(index, item);
  }

  #growTo(index: number): void {
    let length = this.#dense.length;
    while (length <= index) length *= 2;
    const dense = new Int32Array(length).fill(-1);
    dense.set(this.#dense);
    this.#dense = dense;
    for (const [at, item] of this.#sparse)
      if (at < length) {
        dense[at] = item;
        this.#sparse.delete(at);
      }
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export interface Tables {
  readonly names: IndexTable<Name>;
  readonly levels: IndexTable<Level>;
  readonly exprs: IndexTable<Expr>;
}

/** Returns tables with the entries that every export has: name 0 is anonymous, level 0 is zero. */
export function emptyTables(terms: Terms, countMax: number): Tables {
  const names = new IndexTable<Name>('name', countMax);
  const levels = new IndexTable<Level>('level', countMax);
  names.set(0, ANONYMOUS);
  levels.set(0, terms.levels.zero);
  return { names, levels, exprs: new IndexTable<Expr>('expression', countMax) };
}
