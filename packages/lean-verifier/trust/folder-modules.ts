/**
 * The files of a folder as modules that import one another: `A/B.lean` is the module `A.B`. Each is judged once, after
 * those it imports. A file imports the compiled module of a neighbour only where both kernels have nothing against that
 * module; what rests on a neighbour's axioms or open proofs is found by following axioms through it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nameParts, readHeader } from '@stp/lean-text';
import { readSource } from './source-file.ts';

/** A judged file, as the files that import it see it. */
export interface Neighbour {
  readonly outcome: 'accepted' | 'rejected' | 'unchecked';
  /** Whether its compiled module lies where importing files find it. */
  readonly isOffered: boolean;
  /** Whether something in it can deceive a reader. */
  readonly isNoted: boolean;
}

/** A file's place among its neighbours. */
export interface Neighbours {
  /** Why the file cannot be compiled over its neighbours; null where it can. */
  readonly problem: string | null;
  /** Facts about the neighbours that it imports, for a reader. */
  readonly notes: readonly string[];
  /** Whether it imports any. */
  readonly hasNeighbours: boolean;
  /** Whether a neighbour imports it. */
  readonly isImported: boolean;
  /** Names of its module, outermost first; null where no file can import it. */
  readonly module: readonly string[] | null;
}

/** Where a module's compiled file lies in a folder, or null for a name that no file has. */
export function modulePath(folder: string, parts: readonly string[]): string | null {
  if (parts.length === 0 || parts.some((part) => part === '' || /^\.+$|[/\\\0]/.test(part))) return null;
  return `${join(folder, ...parts)}.olean`;
}

/** Is the first part of a module's name taken in one of the folders? Lean looks for all modules below it there. */
function isRootTaken([root = '']: readonly string[], folders: readonly string[]): boolean {
  return folders.some((folder) => existsSync(join(folder, root)) || existsSync(join(folder, `${root}.olean`)));
}

/** A module's name as a key of a map. */
const keyOf = (parts: readonly string[]): string => parts.join('\n');

/** A file by its module's name, outermost part first. */
export interface FolderFile {
  readonly path: string;
  readonly module: readonly string[];
}

export class FolderModules<Judged extends Neighbour> {
  /** Files that can be imported, by module. */
  readonly #files: ReadonlyMap<string, FolderFile>;
  readonly #modules: ReadonlyMap<string, FolderFile>;
  /** Modules that each file imports, by its path. */
  readonly #imports: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly #judge: (path: string, neighbours: Neighbours) => Promise<Judged>;
  readonly #judged = new Map<string, Judged>();
  /** Files that wait for what they import, from the first. */
  readonly #open: string[] = [];
  /** Modules of the folder for which Lean finds an installed one. */
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
   * @param taken folders of installed modules, which the files of the folder never stand for
   * @param judge judges a file, with what is known of its neighbours
   */
  static async open<Judged extends Neighbour>(
    files: readonly FolderFile[],
    taken: readonly string[],
    judge: (path: string, neighbours: Neighbours) => Promise<Judged>,
  ): Promise<FolderModules<Judged>> {
    const imports = new Map<string, string[][]>();
    for (const { path } of files) {
      // A file that cannot be read is not judged, whatever it imports.
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
