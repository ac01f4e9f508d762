/**
 * Treats the files of a folder as modules that import one another: `A/B.lean` is the module `A.B`. Each file is judged
 * once, after the files that it imports. A file may import the compiled module of a neighbour only if neither kernel
 * objects to that module. Axioms and open proofs of a neighbour are found by following axioms through its module.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nameParts, readHeader } from '@stp/lean-text';
import { readSource } from './source-file.ts';

/** A judged file, as seen by the files that import it. */
export interface Neighbour {
  readonly outcome: 'accepted' | 'rejected' | 'unchecked';
  /** Whether importing files can find its compiled module. */
  readonly isOffered: boolean;
  /** Whether something in it can mislead a reader. */
  readonly isNoted: boolean;
}

/** How a file relates to its neighbours. */
export interface Neighbours {
  /** Why the file cannot be compiled with its neighbours, or null. */
  readonly problem: string | null;
  /** Facts about imported neighbours that a reader should know. */
  readonly notes: readonly string[];
  /** Whether the file imports neighbours. */
  readonly hasNeighbours: boolean;
  /** Whether a neighbour imports the file. */
  readonly isImported: boolean;
  /** Components of its module name, outermost first; null if no file can import it. */
  readonly module: readonly string[] | null;
}

/** Returns the path of a module's compiled file in a folder, or null for a name that no file can have. */
export function modulePath(folder: string, parts: readonly string[]): string | null {
  if (parts.length === 0 || parts.some((part) => part === '' || /^\.+$|[/\\\0]/.test(part))) return null;
  return `${join(folder, ...parts)}.olean`;
}

/**
 * Whether one of the folders has the first component of a module name. If so, Lean searches only there for all modules
 * below it.
 */
function isRootTaken([root = '']: readonly string[], folders: readonly string[]): boolean {
  return folders.some((folder) => existsSync(join(folder, root)) || existsSync(join(folder, `${root}.olean`)));
}

/** Returns a map key for a module name. */
const keyOf = (parts: readonly string[]): string => parts.join('\n');

/** A file with the components of its module name, outermost first. */
export interface FolderFile {
  readonly path: string;
  readonly module: readonly string[];
}

export class FolderModules<Judged extends Neighbour> {
  /** Importable files by module. */
  readonly #files: ReadonlyMap<string, FolderFile>;
  readonly #modules: ReadonlyMap<string, FolderFile>;
  /** Modules that each file imports, by the file's path. */
  readonly #imports: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly #judge: (path: string, neighbours: Neighbours) => Promise<Judged>;
  readonly #judged = new Map<string, Judged>();
  /** The chain of files that wait for their imports, outermost first. */
  readonly #open: string[] = [];
  /** Modules of the folder that Lean would not find, because an installed module hides them. */
  readonly #hidden: ReadonlySet<string>;
  readonly #imported: ReadonlySet<string>;

  private constructor(
    files: readonly FolderFile[],
    taken: readonly string[],
    imports: ReadonlyMap<string, readonly (readonly string[])[]>,
    judge: (path: string, neighbours: Neighbours) => Promise<Judged>,
  ) {
    const offered = files.filter(({ module }) => !isRootTaken(module, taken));
    this.#files = new Map(offered.map((file) => [file.path, file]));
    this.#modules = new Map(offered.map((file) => [keyOf(file.module), file]));
    this.#hidden = new Set(files.filter((file) => !offered.includes(file)).map(({ module }) => keyOf(module)));
    this.#imports = imports;
    this.#imported = new Set([...imports.values()].flat().map(keyOf));
    this.#judge = judge;
  }

  /**
   * Reads the imports of all files.
   * @param taken folders of installed modules, which files of the folder never replace
   * @param judge judges a file, given the facts about its neighbours
   */
  static async open<Judged extends Neighbour>(
    files: readonly FolderFile[],
    taken: readonly string[],
    judge: (path: string, neighbours: Neighbours) => Promise<Judged>,
  ): Promise<FolderModules<Judged>> {
    const imports = new Map<string, string[][]>();
    for (const { path } of files) {
      // An unreadable file is not judged, whatever it imports.
      const source = await readSource(path);
      const names = 'reason' in source ? [] : readHeader(source.text).imports.map(({ name }) => nameParts(name));
      imports.set(path, names);
    }
    return new FolderModules(files, taken, imports, judge);
  }

  async judge(path: string): Promise<Judged> {
    const known = this.#judged.get(path);
    if (known !== undefined) return known;
    this.#open.push(path);
    const problems: string[] = [];
    const notes: string[] = [];
    let hasNeighbours = false;
    for (const parts of this.#imports.get(path) ?? []) {
      const name = parts.join('.');
      if (this.#hidden.has(keyOf(parts))) notes.push(`imports the installed ${name}, not the file of this folder`);
      const neighbour = this.#modules.get(keyOf(parts));
      if (neighbour === undefined) continue;
      hasNeighbours = true;
      if (this.#open.includes(neighbour.path)) problems.push(`imports ${name}, which imports this file`);
      else {
        const { outcome, isOffered, isNoted } = await this.judge(neighbour.path);
        if (!isOffered) problems.push(`imports ${name}, which is ${outcome}`);
        else if (outcome === 'rejected') notes.push(`imports ${name}, which is rejected`);
        else if (isNoted) notes.push(`imports ${name}, which has notes of its own`);
      }
    }
    this.#open.pop();
    const module = this.#files.get(path)?.module ?? null;
    const isImported = module !== null && this.#imported.has(keyOf(module));
    const judged = await this.#judge(path, { problem: problems[0] ?? null, notes, hasNeighbours, isImported, module });
    this.#judged.set(path, judged);
    return judged;
  }
}
