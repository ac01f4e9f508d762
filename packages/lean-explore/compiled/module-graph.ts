/**
 * The modules of a compiled library or project and their imports. Finds the imports under which a theorem can be stated
 * again: as many modules as possible that import neither the theorem's module nor a module that imports it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Decline, InputError, moduleName, readModule, Terms } from '@stp/lean-kernel';

export interface GraphModule {
  /** Name with dots. */
  readonly name: string;
  /** Absolute path of its `.olean`. */
  readonly path: string;
  readonly imports: readonly string[];
}

/** A module that cannot be read, so modules that import it cannot be loaded. */
export interface UnreadableModule {
  readonly name: string;
  readonly why: string;
}

const OLEAN = '.olean';
/** Matches name components that neither name another folder nor need quoting in an import. */
const PLAIN_PART = /^[\p{L}_][\p{L}\p{N}_'!?₀-₉]*$/u;

/** Returns the names of all modules in a folder, sorted. */
export function modulesBelow(folder: string): string[] {
  const found: string[] = [];
  const look = (within: string, prefix: string): void => {
    for (const entry of readdirSync(within, { withFileTypes: true })) {
      if (entry.isDirectory()) look(join(within, entry.name), `${prefix}${entry.name}.`);
      else if (entry.name.endsWith(OLEAN)) found.push(prefix + entry.name.slice(0, -OLEAN.length));
    }
  };
  look(folder, '');
  return found.sort();
}

export class ModuleGraph {
  readonly #modules: ReadonlyMap<string, GraphModule>;
  readonly #importers = new Map<string, string[]>();
  readonly unreadable: readonly UnreadableModule[];

  private constructor(modules: ReadonlyMap<string, GraphModule>, unreadable: readonly UnreadableModule[]) {
    this.#modules = modules;
    this.unreadable = unreadable;
    for (const { name, imports } of modules.values())
      for (const imported of new Set(imports)) {
        const known = this.#importers.get(imported);
        if (known === undefined) this.#importers.set(imported, [name]);
        else known.push(name);
      }
  }

  /**
   * Reads the named modules and everything that they import, from the first folder that has them. Omits unreadable
   * modules and modules that import one.
   */
  static read(roots: readonly string[], searchPath: readonly string[]): ModuleGraph {
    const read = new Map<string, GraphModule>();
    const broken = new Map<string, string>();
    const waiting = [...roots];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (read.has(name) || broken.has(name)) continue;
      try {
        const module = readGraphModule(name, searchPath);
        read.set(name, module);
        waiting.push(...module.imports);
      } catch (error) {
        if (!(error instanceof InputError) && !(error instanceof Decline)) throw error;
        broken.set(name, error.message);
      }
    }
    const all = new ModuleGraph(read, []);
    for (const [name, why] of [...broken])
      for (const importer of all.importersOf(name)) {
        if (!broken.has(importer)) broken.set(importer, `it imports ${name}: ${why}`);
        read.delete(importer);
      }
    return new ModuleGraph(
      read,
      [...broken].map(([name, why]) => ({ name, why })),
    );
  }

  get(name: string): GraphModule | undefined {
    return this.#modules.get(name);
  }

  /** Returns all modules, each after its imports; independent modules are sorted by name. */
  inOrder(): GraphModule[] {
    const ordered: GraphModule[] = [];
    const state = new Map<string, 'open' | 'done'>();
    const sorted = [...this.#modules.keys()].sort();
    for (const root of sorted) {
      const path = [root];
      for (let name = path.at(-1); name !== undefined; name = path.at(-1)) {
        const module = this.#modules.get(name);
        const known = state.get(name);
        if (module === undefined || known === 'done') {
          path.pop();
          continue;
        }
        state.set(name, 'open');
        const next = [...module.imports].sort().find((its) => this.#modules.has(its) && !state.has(its));
        if (next !== undefined) {
          path.push(next);
          continue;
        }
        state.set(name, 'done');
        ordered.push(module);
        path.pop();
      }
    }
    return ordered;
  }

  /** Returns all modules that import it, directly or indirectly. */
  importersOf(name: string): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [name];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const importer of this.#importers.get(at) ?? []) {
        if (found.has(importer)) continue;
        found.add(importer);
        waiting.push(importer);
      }
    return found;
  }

  /** Returns all other modules that do not import it, directly or indirectly. */
  besides(name: string): ReadonlySet<string> {
    const importers = this.importersOf(name);
    return new Set([...this.#modules.keys()].filter((other) => other !== name && !importers.has(other)));
  }

  /**
   * Returns the members of `modules` that no other member imports, sorted. `modules` must contain the imports of its
   * members.
   */
  maximal(modules: ReadonlySet<string>): string[] {
    const isImported = (name: string): boolean => (this.#importers.get(name) ?? []).some((other) => modules.has(other));
    return [...modules].filter((name) => !isImported(name)).sort();
  }
}

function readGraphModule(name: string, searchPath: readonly string[]): GraphModule {
  const parts = name.split('.');
  if (!parts.every((part) => PLAIN_PART.test(part)))
    throw new InputError(`no module name that an import can have: ${JSON.stringify(name)}`, 'Rename it.');
  const relative = `${join(...parts)}${OLEAN}`;
  const folder = searchPath.find((its) => existsSync(join(its, relative)));
  if (folder === undefined) throw new InputError(`the module ${name} is missing`, 'Build the project again.');
  const path = join(folder, relative);
  const terms = new Terms();
  const { imports } = readModule(path, terms);
  return { name, path, imports: [...new Set(imports.map((its) => moduleName(terms.names, its)))] };
}
