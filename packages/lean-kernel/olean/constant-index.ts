/**
 * An index that gives, for some imports, the module and the place of each constant: a table of hashes, so that
 * thousands of modules cost a check some megabytes and no reading. It is made once for a set of imports, kept in a
 * file, and made anew when a module has changed, has moved or is hidden by another one.
 *
 * A constant is found by 64 bits of hash. The reader compares the name, so two names with the same hash cause an error.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Terms } from '../expr.ts';
import { ANONYMOUS, type Name, type NameTable } from '../name.ts';
import { finite, listOf, oneOf, record, text, whole } from '../shape.ts';
import { Decline } from '../verdict.ts';
import { readModule } from './compiled-file.ts';
import { findModule, moduleName } from './module-finder.ts';

/** Modules below one import; Mathlib has some ten thousand. */
const MODULES_MAX = 200_000;
/** Raised whenever the file's form or the hash changes. */
const FORMAT = 2;
/** Words of 32 bits in a slot: hash (two), module plus one, place. */
const SLOT_WORDS = 4;

export interface IndexedModule {
  /** With dots. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly imports: readonly string[];
}

export interface Place {
  readonly module: IndexedModule;
  /** Among the constants of the module. */
  readonly index: number;
}

const readHead = record({
  format: oneOf(FORMAT),
  slots: whole(),
  modules: listOf(record({ name: text, path: text, bytes: finite, modifiedMs: finite, imports: listOf(text) })),
});

export class ConstantIndex {
  readonly modules: readonly IndexedModule[];
  readonly #table: Uint32Array;
  readonly #hashes: NameHashes;

  private constructor(names: NameTable, modules: readonly IndexedModule[], table: Uint32Array) {
    this.modules = modules;
    this.#table = table;
    this.#hashes = new NameHashes(names);
  }

  /**
   * All modules under `imports` (names with dots), found in the folders of `searchPath` in turn. `folder`: where indexes are
   * kept; null keeps none. Throws `InputError` for a module that is missing or unreadable, and `Decline`.
   */
  static open(
    names: NameTable,
    imports: readonly string[],
    searchPath: readonly string[],
    folder: string | null,
  ): ConstantIndex {
    const path = folder === null ? null : join(folder, `${keyOf(imports, searchPath)}.index`);
    const kept = path === null ? null : readKept(path, searchPath);
    if (kept !== null) return new ConstantIndex(names, kept.modules, kept.table);
    const made = make(imports, searchPath);
    if (path !== null) keep(path, made);
    return new ConstantIndex(names, made.modules, made.table);
  }

  find(name: Name): Place | null {
    const [low, high] = this.#hashes.of(name);
    const table = this.#table;
    const mask = table.length / SLOT_WORDS - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT_WORDS;
      if (table[at + 2] === 0) return null;
      if (table[at] === low && table[at + 1] === high)
        return { module: this.modules[table[at + 2]! - 1]!, index: table[at + 3]! };
    }
  }
}

interface Made {
  readonly modules: readonly IndexedModule[];
  readonly table: Uint32Array<ArrayBuffer>;
}

/** Of one module file as it was when its size and time were these. */
interface Read extends IndexedModule {
  /** Two words for each constant. */
  readonly hashes: Uint32Array;
}

/** What was read of modules in this process, by path: a module that grows beside thousands does not have them read again. */
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
    for (let place = 0; place < hashes.length / 2; place++)
      insert(table, hashes[2 * place]!, hashes[2 * place + 1]!, index, place);
  return { modules: modules.map(({ hashes: _, ...module }) => module), table };
}

/** Of two constants of a name the first stays. */
function insert(table: Uint32Array, low: number, high: number, module: number, place: number): void {
  const mask = table.length / SLOT_WORDS - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = slot * SLOT_WORDS;
    if (table[at + 2] === 0) {
      table[at] = low;
      table[at + 1] = high;
      table[at + 2] = module + 1;
      table[at + 3] = place;
      return;
    }
    if (table[at] === low && table[at + 1] === high) return;
  }
}

function readOne(name: string, path: string): Read {
  const { size: bytes, mtimeMs: modifiedMs } = statSync(path);
  const known = readBefore.get(path);
  if (known?.bytes === bytes && known.modifiedMs === modifiedMs && known.name === name) return known;
  // Tables of its own: names of all constants would otherwise stay for the sake of their hashes.
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

/** What was kept, where every module is still the one that was read; else null. */
function readKept(path: string, searchPath: readonly string[]): Made | null {
  try {
    const bytes = readFileSync(path);
    const headBytes = bytes.readUInt32LE(0);
    const head = readHead(JSON.parse(bytes.toString('utf8', 4, 4 + headBytes)), '');
    const table = new Uint32Array(head.slots * SLOT_WORDS);
    const tableBytes = bytes.subarray(4 + headBytes);
    if (head.slots === 0 || tableBytes.length !== table.byteLength) return null;
    Buffer.from(table.buffer).set(tableBytes);
    for (const module of head.modules) {
      if (findModule(module.name, searchPath) !== module.path) return null;
      const { size, mtimeMs } = statSync(module.path);
      if (size !== module.bytes || mtimeMs !== module.modifiedMs) return null;
    }
    return { modules: head.modules, table };
  } catch {
    // Not there, cut short or of another form: it is made anew, and so is one whose modules have gone.
    return null;
  }
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
    // A cache that cannot be written is no reason not to check.
  }
}

/** Above all UTF-16 units. */
const TEXT_BEGINS = 0x10000;
const NUMBER_BEGINS = 0x10001;

/** 64 bits of hash of names, by their components: FNV-1a twice, with other constants, over UTF-16 units. */
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
    // A component begins with what no text contains: `«a.b»` differs from `a.b`, and a number from the text of its digits.
    mix(typeof part === 'string' ? TEXT_BEGINS : NUMBER_BEGINS);
    const text = String(part);
    for (let at = 0; at < text.length; at++) mix(text.charCodeAt(at));
    const hash = [low >>> 0, high >>> 0] as const;
    this.#known.set(name, hash);
    return hash;
  }
}
