/**
 * Finds the Lean files for paths on a command line: a file itself, or every `.lean` file below a folder, sorted by
 * name. Packages that Lake has fetched (`.lake`) are skipped, and so are `lakefile.lean` files, which are programs for
 * Lake. A link that leads out of the folder is not followed; the list names it as not read, so that nobody takes it for
 * checked.
 */
import { type Dirent, realpathSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const PACKAGES = '.lake';
const LAKE_PROGRAM = 'lakefile.lean';

export interface LeanFile {
  /** The command line's folder that contains the file; null for a file that was named itself. */
  readonly folder: string | null;
  /** The path to show: the argument, followed by the path below it. */
  readonly path: string;
  /** Why it cannot be checked; null if it can. */
  readonly problem: string | null;
}

/** Finds the files in the order of the paths, no file twice. */
export async function findLeanFiles(paths: readonly string[]): Promise<LeanFile[]> {
  const found = new Map<string, LeanFile>();
  for (const path of paths)
    for (const file of await filesOf(path)) {
      const key = await realpath(file.path).catch(() => file.path);
      const known = found.get(key);
      // A file that is named and is in a named folder keeps its position, and belongs to the folder too.
      found.set(key, known === undefined ? file : { ...known, folder: known.folder ?? file.folder });
    }
  return [...found.values()];
}

async function filesOf(path: string): Promise<LeanFile[]> {
  try {
    const facts = await stat(path);
    if (!facts.isDirectory()) return [{ path, folder: null, problem: null }];
    const files = await filesBelow(path, realpathSync(path));
    if (files.length === 0) return [{ path, folder: null, problem: 'the folder holds no .lean file' }];
    return files.map((file) => ({ ...file, folder: path }));
  } catch (error) {
    return [{ path, folder: null, problem: readProblem(error) }];
  }
}

type Found = Omit<LeanFile, 'folder'>;

async function filesBelow(folder: string, root: string): Promise<Found[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return [{ path: folder, problem: readProblem(error) }];
  }
  const files: Found[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) files.push(...(await linkOf(path, root)));
    else if (entry.isDirectory() && entry.name !== PACKAGES) files.push(...(await filesBelow(path, root)));
    else if (entry.isFile() && entry.name.endsWith('.lean') && entry.name !== LAKE_PROGRAM)
      files.push({ path, problem: null });
  }
  return files;
}

/** Skips links within the folder, because their targets are found anyway. A link out of it could hide Lean files. */
async function linkOf(path: string, root: string): Promise<Found[]> {
  const isLean = path.endsWith('.lean');
  try {
    const target = await realpath(path);
    const way = relative(root, target);
    const isInside = way !== '..' && !way.startsWith(`..${sep}`);
    if (isInside || !(isLean || (await stat(target)).isDirectory())) return [];
    return [
      { path, problem: 'this is a link that leads out of the folder: name what it leads to, to have it checked' },
    ];
  } catch (error) {
    return isLean ? [{ path, problem: readProblem(error) }] : [];
  }
}

function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file or folder' : `it cannot be read: ${message}`;
}
