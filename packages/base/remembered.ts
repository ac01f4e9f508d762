/**
 * Caches findings about programs on this machine in a folder. A finding is valid while everything in its key stays the
 * same. If it cannot be read or written, it is determined again.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { z } from 'zod';

const FOLDER = 'remembered';

export interface Memory<Finding> {
  readonly cacheDirectory: string;
  /** Everything that determines the finding. */
  readonly key: readonly unknown[];
  readonly schema: z.ZodType<Finding>;
  /** Determine the finding again even if it is cached. */
  readonly anew?: boolean | undefined;
}

/**
 * Returns the cached finding, or the result of `find`, which is cached if the schema accepts it. Rejects as `find`
 * does.
 */
export async function remember<Finding>(memory: Memory<Finding>, find: () => Promise<unknown>): Promise<unknown> {
  const kept = memory.anew === true ? undefined : await recall(memory);
  if (kept !== undefined) return kept;
  const finding = await find();
  await keep(memory, finding);
  return finding;
}

/** Returns the cached finding; undefined if there is none or it is unreadable. */
export async function recall<Finding>(memory: Memory<Finding>): Promise<Finding | undefined> {
  const kept = await readFile(pathOf(memory), 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  return memory.schema.safeParse(kept).data;
}

/** Caches a finding that the schema accepts, if the folder is writable. */
export async function keep<Finding>(memory: Memory<Finding>, finding: unknown): Promise<void> {
  if (memory.schema.safeParse(finding).success) await write(pathOf(memory), finding).catch(() => undefined);
}

function pathOf({ cacheDirectory, key }: Memory<unknown>): string {
  const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
  return join(cacheDirectory, FOLDER, `${name}.json`);
}

async function write(path: string, finding: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(partial, JSON.stringify(finding));
  await rename(partial, path);
}

/** Returns a value that changes when the file is written or replaced; null if there is no file. */
export async function fileMark(path: string): Promise<string | null> {
  try {
    const real = await realpath(path);
    const { size, mtimeMs, ino } = await stat(real);
    return `${real}:${size}:${mtimeMs}:${ino}`;
  } catch {
    return null;
  }
}

/** Returns the marks of the files directly in a folder, in order; none if there is no folder. */
export async function folderMarks(folder: string): Promise<(string | null)[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.toSorted().map((name) => fileMark(join(folder, name))));
}
