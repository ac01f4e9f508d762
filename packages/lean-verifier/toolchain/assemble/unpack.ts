/** Extracts single files from zip and tar archives. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StpError } from '@stp/base';
import { extract, list, type ReadEntry } from 'tar';
import { openPromise } from 'yauzl';

/** Bytes per read, so that a long reading lets other work of the process run. */
const READ_BYTES = 2 ** 20;

function missing(archive: string, entry: string): StpError {
  return new StpError('STP1204', `${archive} does not contain ${entry}`, 'Run the set-up again.', {
    facts: { archive, entry },
  });
}

/**
 * Writes the file `entryName` of the zip archive `archive` to `target`.
 * @throws StpError STP1204 if the archive lacks it
 */
export async function extractZipEntry(archive: string, entryName: string, target: string, mode: number): Promise<void> {
  const zip = await openPromise(archive);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== entryName) continue;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode }));
      return;
    }
  } finally {
    zip.close();
  }
  throw missing(archive, entryName);
}

/**
 * Writes the file `entryPath` of the tar archive `archive` to `folder`, under the same path. Returns the path of the
 * written file.
 * @throws StpError STP1204 if the archive lacks it
 */
export async function extractTarEntry(archive: string, entryPath: string, folder: string): Promise<string> {
  let found = false;
  await extract({
    file: archive,
    cwd: folder,
    filter: (path) => {
      found ||= path === entryPath;
      return path === entryPath;
    },
  });
  if (!found) throw missing(archive, entryPath);
  return join(folder, entryPath);
}

/**
 * Reads a tar archive and calls `onFile` for every file that `wanted` selects, in the archive's order. Writes nothing.
 * @param onFile receives the path without a leading `./`; an error that it throws ends the reading and is rethrown
 */
export async function forEachTarFile(
  archive: string,
  wanted: (path: string) => boolean,
  onFile: (path: string, bytes: Uint8Array) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const take = async (entry: ReadEntry, path: string) => {
    try {
      const bytes = await entry.concat();
      if (failures.length === 0) onFile(path, bytes);
    } catch (failure) {
      failures.push(failure);
    }
  };
  const work: Promise<void>[] = [];
  await list({
    file: archive,
    maxReadSize: READ_BYTES,
    onReadEntry: (entry) => {
      const path = entry.path.replace(/^\.\//, '');
      if (failures.length > 0 || entry.type !== 'File' || !wanted(path)) entry.resume();
      else work.push(take(entry, path));
    },
  });
  await Promise.all(work);
  if (failures.length > 0) throw failures[0];
}
