/**
 * An index that gives the module and the position of each constant of some imports: a hash table, so that thousands of
 * modules cost a check some megabytes and no reading. It is made once for a set of imports, kept in a file, and rebuilt
 * when a module has changed, has moved, or is hidden by another one. Imports that are part of `Init` or `Std` share one
 * index of all: a problem set has hundreds of different sets of imports.
 *
 * A constant is found by a 64-bit hash. The reader compares the name, so two names with the same hash cause an error.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Terms } from '../expr.ts';
import { ANONYMOUS, type Name, type NameTable } from '../name.ts';
import { finite, listOf, oneOf, record, text, whole } from '../shape.ts';
import { Decline } from '../verdict.ts';
import { readModule } from './compiled-file.ts';
import { findModule, moduleName } from './module-finder.ts';

/** Maximum number of modules below one import. Mathlib has about ten thousand. */
const MODULES_MAX = 200_000;
/** Increment whenever the file format or the hash changes. */
const FORMAT = 3;
/** Modules whose index is shared by imports of a part of them, smaller first. */
const WHOLES: readonly string[] = ['Init', 'Std'];
/** 32-bit words in a slot: hash (two), module plus one, index. */
const SLOT_WORDS = 4;

export interface IndexedModule {
  /** Name with dots. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly imports: readonly string[];
}

export interface ConstantLocation {
  readonly module: IndexedModule;
  /** Index among the constants of the module. */
  readonly index: number;
}

const readHead = record({
  format: oneOf(FORMAT),
  slots: whole(),
  modules: listOf(record({ name: text, path: text, bytes: finite, modifiedMs: finite, imports: listOf(text) })),
});

export class ConstantIndex {
  readonly modules: readonly IndexedModule[];
  /** Which of the table's modules belong to these imports. Null: all. */
  readonly #isPart: readonly boolean[] | null;
  readonly #modules: readonly IndexedModule[];
  readonly #table: Uint32Array;
  readonly #hashes: NameHashes;

  private constructor(names: NameTable, { modules, table }: Made, part: ReadonlySet<string> | null = null) {
    this.modules = part === null ? modules : modules.filter(({ name }) => part.has(name));
    this.#isPart = part === null ? null : modules.map(({ name }) => part.has(name));
    this.#modules = modules;
    this.#table = table;
    this.#hashes = new NameHashes(names);
  }

  /**
   * Finds all modules below `imports` (names with dots) in the folders of `searchPath`, in order. `folder` keeps
   * indexes; null for none. Throws `InputError` for a missing or unreadable module, or `Decline`.
   */
  static open(
    names: NameTable,
    imports: readonly string[],
    searchPath: readonly string[],
    folder: string | null,
  ): ConstantIndex {
    for (const whole of WHOLES) {
      if (imports.includes(whole) || !imports.every((name) => name.startsWith('Init.') || name.startsWith('Std.')))
        break;
      const made = isFound(whole, searchPath) ? opened([whole], searchPath, folder) : null;
      const part = made === null ? null : partOf(made.modules, imports);
      if (part !== null) return new ConstantIndex(names, made!, part);
    }
    return new ConstantIndex(names, opened(imports, searchPath, folder));
  }

  find(name: Name): ConstantLocation | null {
    const [low, high] = this.#hashes.of(name);
    const table = this.#table;
    const mask = table.length / SLOT_WORDS - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT_WORDS;
      if (table[at + 2] === 0) return null;
      const module = table[at + 2]! - 1;
      if (table[at] === low && table[at + 1] === high && this.#isPart?.[module] !== false)
        return { module: this.#modules[module]!, index: table[at + 3]! };
    }
  }
}

/** Complete indexes opened by this process, most recent last. Each takes some megabytes. */
const openedBefore = new Map<string, Made>();
const OPENED_MAX = WHOLES.length;

/** Returns an index of all modules below `imports`: from this process, from the folder, or newly made. */
function opened(imports: readonly string[], searchPath: readonly string[], folder: string | null): Made {
  const isWhole = imports.length === 1 && WHOLES.includes(imports[0]!);
  const key = keyOf(imports, searchPath);
  const known = isWhole ? openedBefore.get(key) : undefined;
  const path = folder === null ? null : join(folder, `${key}.index`);
  if (known !== undefined && isCurrent(known.modules, searchPath)) {
    if (path !== null && !existsSync(path)) keep(path, known);
    return known;
  }
  let made = path === null ? null : readKept(path, searchPath);
  if (made === null) {
    made = make(imports, searchPath);
    if (path !== null) keep(path, made);
  }
  if (isWhole) {
    openedBefore.delete(key);
    openedBefore.set(key, made);
    for (const oldest of openedBefore.keys()) {
      if (openedBefore.size <= OPENED_MAX) break;
      openedBefore.delete(oldest);
    }
  }
  return made;
}

function isFound(module: string, searchPath: readonly string[]): boolean {
  try {
    findModule(module, searchPath);
    return true;
  } catch {
    return false;
  }
}

/** Returns the names of the modules below `imports`; null if one of them is not among the modules. */
function partOf(modules: readonly IndexedModule[], imports: readonly string[]): ReadonlySet<string> | null {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const part = new Set(imports);
  for (const name of part) {
    const module = byName.get(name);
    if (module === undefined) return null;
    for (const next of module.imports) part.add(next);
  }
  return part;
}

interface Made {
  readonly modules: readonly IndexedModule[];
  readonly table: Uint32Array<ArrayBuffer>;
}

/** A module file as it was with this size and modification time. */
interface Read extends IndexedModule {
  /** Two words for each constant. */
  readonly hashes: Uint32Array;
}

/**
 * Modules that this process has read, by path, so that a module added to thousands does not require reading them again.
 */
const readBefore = new Map<string, Read>();

function make(imports: readonly string[], searchPath: readonly string[]): Made {
  const modules: Read[] = [];
  const seen = new Set(imports);
  const waiting = [...seen].reverse();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.size > MODULES_MAX) throw new Decline(`more than ${MODULES_MAX} imported modules`);
    const read = readOne(name, findModule(name, searchPath));
    modules.push(read);
    for (const next of read.imports) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  const count = modules.reduce((total, { hashes }) => total + hashes.length / 2, 0);
  let slots = 1024;
  while (slots < 2 * count) slots *= 2;
  const table = new Uint32Array(slots * SLOT_WORDS);
  for (const [index, { hashes }] of modules.entries())
    for (let at = 0; at < hashes.length / 2; at++) insert(table, hashes[2 * at]!, hashes[2 * at + 1]!, index, at);
  return { modules: modules.map(({ hashes: _, ...module }) => module), table };
}

/**
 * Adds a name. If two constants have the same name, the first is found, or the other one if the first is in no imported
 * module.
 */
function insert(table: Uint32Array, low: number, high: number, module: number, constant: number): void {
  const mask = table.length / SLOT_WORDS - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = slot * SLOT_WORDS;
    if (table[at + 2] === 0) {
      table[at] = low;
      table[at + 1] = high;
      table[at + 2] = module + 1;
      table[at + 3] = constant;
      return;
    }
  }
}

function readOne(name: string, path: string): Read {
  const { size: bytes, mtimeMs: modifiedMs } = statSync(path);
  const known = readBefore.get(path);
  if (known?.bytes === bytes && known.modifiedMs === modifiedMs && known.name === name) return known;
  // Use separate tables: otherwise the names of all constants would stay in memory.
  const terms = new Terms();
  const module = readModule(path, terms);
  const own = new NameHashes(terms.names);
  const hashes = new Uint32Array(2 * module.names.length);
  for (const [index, its] of module.names.entries()) hashes.set(own.of(its), 2 * index);
  const imports = [...new Set(module.imports.map((its) => moduleName(terms.names, its)))];
  const read = { name, path, bytes, modifiedMs, imports, hashes };
  readBefore.set(path, read);
  return read;
}

function keyOf(imports: readonly string[], searchPath: readonly string[]): string {
  const key = JSON.stringify([FORMAT, [...new Set(imports)].sort(), searchPath]);
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Reads a kept index if all modules are unchanged, otherwise returns null. */
function readKept(path: string, searchPath: readonly string[]): Made | null {
  try {
    const bytes = readFileSync(path);
    const headBytes = bytes.readUInt32LE(0);
    const head = readHead(JSON.parse(bytes.toString('utf8', 4, 4 + headBytes)), '');
    const table = new Uint32Array(head.slots * SLOT_WORDS);
    const tableBytes = bytes.subarray(4 + headBytes);
    if (head.slots === 0 || tableBytes.length !== table.byteLength) return null;
    Buffer.from(table.buffer).set(tableBytes);
    return isCurrent(head.modules, searchPath) ? { modules: head.modules, table } : null;
  } catch {
    // The file is missing, truncated or has another format, or its modules have disappeared: the index is made again.
    return null;
  }
}

function isCurrent(modules: readonly IndexedModule[], searchPath: readonly string[]): boolean {
  return modules.every(({ name, path, bytes, modifiedMs }) => {
    if (!isFound(name, searchPath) || findModule(name, searchPath) !== path) return false;
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.size === bytes && facts.mtimeMs === modifiedMs;
  });
}

function keep(path: string, { modules, table }: Made): void {
  const head = Buffer.from(JSON.stringify({ format: FORMAT, slots: table.length / SLOT_WORDS, modules }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const part = `${path}.${process.pid}.part`;
    writeFileSync(part, Buffer.concat([length, head, Buffer.from(table.buffer)]));
    renameSync(part, path);
  } catch {
    // If the cache cannot be written, the check continues.
  }
}

/** Greater than every UTF-16 unit. */
const TEXT_BEGINS = 0x10000;
const NUMBER_BEGINS = 0x10001;

/** 64-bit hashes of names by their components: FNV-1a twice, with different constants, over UTF-16 units. */
class NameHashes {
  readonly #names: NameTable;
  readonly #known = new Map<Name, readonly [number, number]>();

  constructor(names: NameTable) {
    this.#names = names;
  }

  of(name: Name): readonly [number, number] {
    if (name === ANONYMOUS) return [0x811c9dc5, 0x2f0b4a87];
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    let [low, high] = this.of(this.#names.prefix(name));
    const part = this.#names.last(name);
    const mix = (unit: number): void => {
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x5bd1e995);
      high ^= high >>> 15;
    };
    // A component begins with a value that no text contains, so `«a.b»` differs from `a.b`, and a number from the text
    // of its digits.
    mix(typeof part === 'string' ? TEXT_BEGINS : NUMBER_BEGINS);
    const text = String(part);
    for (let at = 0; at < text.length; at++) mix(text.charCodeAt(at));
    const hash = [low >>> 0, high >>> 0] as const;
    this.#known.set(name, hash);
    return hash;
  }
}
