/**
 * Finds the Lean modules in the source folders, names them, and sorts them by imports. It reads files and does not
 * start Lean. A file's module name is its folder's prefix followed by its path, each part in upper camel case
 * (`isa-planner` → `IsaPlanner`). `Definitions.lean` is the module of its folder. With prefix `Stp`, `Nat.lean` is
 * `Stp.Nat`; with prefix `Stp.Problems`, `isa-planner/Definitions.lean` is `Stp.Problems.IsaPlanner`. Every prefix is
 * also a generated module that imports all modules of its folder.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StpError } from '@stp/base';
import { readHeader } from '@stp/lean-text';

export interface SourceDirectory {
  /** Absolute path. Only `.lean` files count. A missing folder is an error. */
  readonly directory: string;
  /** First parts of the module names, such as `Stp`. */
  readonly modulePrefix: string;
}

export interface LeanModule {
  readonly name: string;
  /** The source file, or null for the generated module of a prefix. */
  readonly path: string | null;
  readonly source: string;
  /** Imported modules that belong to the same compilation. */
  readonly imports: readonly string[];
}

/** A binary or a huge generated file among the sources should cause an error that names it, not exhaust memory. */
const SOURCE_BYTES_MAX = 4 * 1024 * 1024;
const DEFINITIONS_FILE = 'Definitions.lean';
const MODULE_PART = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/**
 * Returns all modules, each after its imports. The order depends on the files alone. Throws STP1202 for bad names,
 * import cycles and missing modules.
 */
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
      add({
        name,
        path: path.join(directory, file),
        source,
        imports: readHeader(source).imports.map((line) => line.name),
      });
      names.push(name);
    }
    if (names.includes(modulePrefix)) continue;
    const source = names.map((name) => `import ${name}\n`).join('');
    add({ name: modulePrefix, path: null, source, imports: names });
  }
  return inImportOrder(modules, directories);
}

/** Returns the module name of the file at `relativePath` (POSIX or native separators) in a folder with this prefix. */
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
  // Sort by code units, which gives the same order on every machine and in every locale.
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
