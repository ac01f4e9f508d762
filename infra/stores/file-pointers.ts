/**
 * Pointers of a file store: a folder `.stp/pointers/NAME` with one small file a generation, 1, 2, 3 and so on. Moving
 * a pointer from generation n is making file n+1 by a hard link, which exactly one process can do; no lock is held, so
 * none can be left behind. The files stay: they are the pointer's history.
 */
import { link, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asBuffer, requirePointerText } from './contents.ts';
import { type FileObjects, makeFolder, nullWhenMissing, syncFolder, writeFlushed } from './file-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { moved } from './store-errors.ts';

const GENERATION = /^[1-9]\d{0,14}$/;

export async function readFilePointer(folder: string): ReturnType<ObjectStore['readPointer']> {
  const names = (await readdir(folder).catch(nullWhenMissing)) ?? [];
  const newest = Math.max(0, ...names.filter((name) => GENERATION.test(name)).map(Number));
  if (newest === 0) return null;
  return { text: await readFile(join(folder, String(newest)), 'utf8'), generation: String(newest) };
}

/** See `ObjectStore.movePointer`. */
export async function moveFilePointer(
  objects: FileObjects,
  name: string,
  text: string,
  expected: string | null,
): Promise<string> {
  requirePointerText(name, text);
  const folder = objects.own('pointers', name);
  const current = await readFilePointer(folder);
  if ((current?.generation ?? null) === expected) {
    const next = String(Number(expected ?? 0) + 1);
    const temporary = await objects.temporaryPath();
    try {
      await writeFlushed(temporary, single(asBuffer(text)));
      await makeFolder(folder);
      await link(temporary, join(folder, next));
      await syncFolder(folder);
      return next;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }
  const now = await readFilePointer(folder);
  // A move whose answer was lost is made again: what it wanted is so already.
  if (now !== null && now.text === text) return now.generation;
  throw moved(`${objects.root}/${name}`, expected, now?.generation ?? null);
}

async function* single(buffer: Buffer): AsyncGenerator<Buffer> {
  yield buffer;
}
