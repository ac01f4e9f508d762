/**
 * Finds the Lean modules under the source folders, names them, and puts them in import order. Reads files; starts no
 * Lean. Naming: the module of a file is its folder's prefix followed by its path, each part in upper camel case
 * (`isa-planner` → `IsaPlanner`); a file called `Definitions.lean` is the module of the folder it stands in. So with
 * prefix `Stp`, `Nat.lean` is `Stp.Nat`; with prefix `Stp.Problems`, `isa-planner/Definitions.lean` is
 * `Stp.Problems.IsaPlanner`. Every prefix is itself a module that imports all of its folder (made here).
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StpError } from '@stp/base';
import { readHeader } from '@stp/lean-text';

export interface SourceDirectory {
  /** Absolute path. Only `.lean` files count; a folder that is not there is an error. */
  readonly directory: string;
  /** First parts of its modules' names: `Stp`. */
  readonly modulePrefix: string;
}

export interface LeanModule {
  readonly name: string;
  /** File the text came from, or null for a generated umbrella. */
  readonly path: string | null;
  readonly source: string;
  /** Modules of the same compilation it imports. */
  readonly imports: readonly string[];
}

/** Sources are ours, but a stray binary or generated giant should fail by name, not by memory. */
const SOURCE_BYTES_MAX = 4 * 1024 * 1024;
const DEFINITIONS_FILE = 'Definitions.lean';
const MODULE_PART = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** All modules, each after those it imports; the same files give the same order. STP1202 for bad names, cycles, gaps. */
export async function discoverModules(directories: readonly SourceDirectory[]): Promise<readonly LeanModule[]> {
  const modules = new Map<string, LeanModule>();
  const add = (module: LeanModule) => {
    const other = modules.get(module.name);
    if (other !== undefined) {
      const files = `${module.path ?? 'a source folder'} and ${other.path ?? 'a source folder'}`;
      throw libraryError(`${files} both are the module ${module.name}`, 'Rename one of the two files.');
    }
    modules.set(module.name, module);
  };
  for (const { directory, modulePrefix } of directories) {
    const names: string[] = [];
    for (const file of await leanFiles(directory)) {
      const name = moduleName(modulePrefix, file);
      const source = await readSource(path.join(directory, file));
      add({ name, path: path.join(directory, file), source, imports: readHeader(source).imports.map((line) => line.name) });
      names.push(name);
    }
    if (names.includes(modulePrefix)) continue;
    const source = names.map((name) => `import ${name}\n`).join('');
    add({ name: modulePrefix, path: null, source, imports: names });
  }
  return inImportOrder(modules, directories);
}

/** Module of a file at `relativePath` (POSIX or native separators) under a folder with this prefix. */
export function moduleName(modulePrefix: string, relativePath: string): string {
  const parts = relativePath.split(/[\\/]/);
  const file = parts.pop()!;
  if (file !== DEFINITIONS_FILE) parts.push(file.replace(/\.lean$/, ''));
  const camel = parts.map((part) =>
    part
      .split(/[-_ ]+/)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(''),
  );
  const bad = camel.find((part) => !MODULE_PART.test(part));
  if (bad !== undefined)
    throw libraryError(`${relativePath} has no module name`, 'Use letters and digits in file names.');
  return [modulePrefix, ...camel].join('.');
}

export function libraryError(message: string, advice: string, facts: Record<string, unknown> = {}): StpError {
  return new StpError('STP1202', message, advice, { facts });
}

async function leanFiles(directory: string): Promise<readonly string[]> {
  let entries: string[];
  try {
    entries = await readdir(directory, { recursive: true });
  } catch (cause) {
    throw new StpError('STP1202', `the library folder ${directory} cannot be read`, 'Name a folder of .lean files.', {
      cause,
    });
  }
  // Code-unit order, the same on every machine and under every locale.
  return entries.filter((entry) => entry.endsWith('.lean')).sort();
}

async function readSource(file: string): Promise<string> {
  const bytes = await readFile(file);
  if (bytes.byteLength > SOURCE_BYTES_MAX) throw libraryError(`${file} is over 4 MiB`, 'Split the file.');
  return bytes.toString('utf8').replaceAll('\r\n', '\n');
}

function inImportOrder(
  modules: ReadonlyMap<string, LeanModule>,
  directories: readonly SourceDirectory[],
): readonly LeanModule[] {
  const ordered = new Map<string, LeanModule>();
  const isOurs = (name: string) =>
    directories.some(({ modulePrefix }) => name === modulePrefix || name.startsWith(`${modulePrefix}.`));
  const visit = (module: LeanModule, trail: readonly string[]) => {
    if (ordered.has(module.name)) return;
    if (trail.includes(module.name)) {
      const cycle = [...trail.slice(trail.indexOf(module.name)), module.name].join(' → ');
      throw libraryError(`library modules import each other: ${cycle}`, 'Move what both need into a third file.');
    }
    const own: string[] = [];
    for (const name of module.imports) {
      const imported = modules.get(name);
      if (imported === undefined) {
        if (!isOurs(name)) continue;
        throw libraryError(`${module.path} imports ${name}, which does not exist`, 'Correct the import line.');
      }
      own.push(name);
      visit(imported, [...trail, module.name]);
    }
    ordered.set(module.name, { ...module, imports: own });
  };
  for (const name of [...modules.keys()].sort()) visit(modules.get(name)!, []);
  return [...ordered.values()];
}
