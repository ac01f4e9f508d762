/**
 * The imports of a compiled module as the trusted environment of a check. All their names are known at once; a constant
 * is read when the kernel asks for it. Of the files themselves only the latest used ones stay in memory.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StpError } from '../../../data/errors.ts';
import type { Declaration } from '../declaration.ts';
import type { Terms } from '../expr.ts';
import type { TrustedSource } from '../kernel.ts';
import type { Name } from '../name.ts';
import { Decline } from '../verdict.ts';
import { declarationOf } from './declarations.ts';
import { Damaged, Heap } from './heap.ts';
import { type CompiledConstant, CompiledModule } from './module-data.ts';

/** Lean's largest compiled module has about 20 MB; Mathlib's about as much. */
const MODULE_BYTES_MAX = 512 * 1024 * 1024;
/** Bytes of modules that are kept in memory. Lean's whole library has about 500 MB. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;
/** Modules below one import. Mathlib has some ten thousand. */
const MODULES_MAX = 200_000;
/** What the module system puts into files of their own; the last that is there holds everything. */
const PARTS = ['', '.server', '.private'];

/** Reads a module with its parts. Throws STP1801 for what is none, `Decline` for what this kernel does not know. */
export function readModule(path: string, terms: Terms): CompiledModule {
  return explained(path, () => {
    const parts = PARTS.map((part) => path + part).filter((part) => part === path || existsSync(part));
    return new CompiledModule(new Heap(parts.map(readWhole)), terms);
  });
}

/** Turns what reading `path` can throw into an error that a person can use. */
export function explained<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof Decline) throw new Decline(`${path}: ${error.message}`);
    // The second is what a view says of a place outside it.
    if (error instanceof Damaged || error instanceof RangeError)
      throw new StpError('STP1801', `${path} is damaged: ${error.message}`, 'Compile the module again.', {
        facts: { path },
      });
    throw error;
  }
}

function readWhole(path: string): Buffer {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    if (size > MODULE_BYTES_MAX) throw new Decline(`more than ${MODULE_BYTES_MAX} bytes`);
    const bytes = Buffer.alloc(size);
    let filled = 0;
    while (filled < size) {
      const got = readSync(file, bytes, filled, size - filled, filled);
      if (got === 0) throw new Damaged('it is cut short');
      filled += got;
    }
    return bytes;
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new StpError('STP1801', `${path} cannot be read: ${error.message}`, 'Give a compiled module (`lean -o`).', {
      cause: error,
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}

interface Place {
  readonly module: string;
  readonly index: number;
}

export class CompiledLibrary implements TrustedSource {
  readonly #terms: Terms;
  readonly #places = new Map<Name, Place>();
  /** The latest used last. */
  readonly #kept = new Map<string, CompiledModule>();
  #keptBytes = 0;

  /**
   * All modules under `imports`, found in the folders of `searchPath` in turn. Throws STP1801 for one that is not there or
   * is none, and `Decline`.
   */
  constructor(terms: Terms, imports: readonly Name[], searchPath: readonly string[]) {
    this.#terms = terms;
    const seen = new Set(imports);
    const waiting = [...seen];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.size > MODULES_MAX) throw new Decline(`more than ${MODULES_MAX} imported modules`);
      const path = findModule(terms, name, searchPath);
      const module = this.#open(path);
      for (const [index, its] of module.names.entries())
        if (!this.#places.has(its)) this.#places.set(its, { module: path, index });
      for (const next of module.imports) {
        if (seen.has(next)) continue;
        seen.add(next);
        waiting.push(next);
      }
    }
  }

  has(name: Name): boolean {
    return this.#places.has(name);
  }

  read(name: Name): Declaration | null {
    const constant = this.constant(name);
    if (constant === null) return null;
    return explained(this.#places.get(name)!.module, () =>
      declarationOf(this.#terms, constant, (part) => this.constant(part)),
    );
  }

  constant(name: Name): CompiledConstant | null {
    const place = this.#places.get(name);
    if (place === undefined) return null;
    return explained(place.module, () => this.#open(place.module).constant(place.index));
  }

  #open(path: string): CompiledModule {
    let module = this.#kept.get(path);
    if (module === undefined) {
      module = readModule(path, this.#terms);
      this.#keptBytes += module.byteLength;
    } else this.#kept.delete(path);
    this.#kept.set(path, module);
    for (const [oldest, its] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES_MAX || its === module) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= its.byteLength;
    }
    return module;
  }
}

/** `Init.Data.Nat` is `Init/Data/Nat.olean` below a folder. */
function findModule(terms: Terms, name: Name, searchPath: readonly string[]): string {
  const parts: string[] = [];
  for (let at = name; at !== 0; at = terms.names.prefix(at)) {
    const part = terms.names.last(at);
    // Nothing outside the folder can be named.
    if (typeof part !== 'string' || part === '' || part === '.' || part === '..' || /[/\\\0]/.test(part))
      throw new Decline(`a module named ${JSON.stringify(terms.names.print(name))}`);
    parts.push(part);
  }
  const relative = `${join(...parts.reverse())}.olean`;
  for (const folder of searchPath) if (existsSync(join(folder, relative))) return join(folder, relative);
  throw new StpError(
    'STP1801',
    `the imported module ${terms.names.print(name)} is in none of: ${searchPath.join(', ')}`,
    'Name its folder with --search-path.',
  );
}
