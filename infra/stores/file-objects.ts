/**
 * Objects as files in a folder, for `file-store.ts`: their paths, their atomic creation, and their metadata. An object
 * is an ordinary file under its own name, so other programs can read it. Metadata that the file lacks are in its mark,
 * an empty file `.stp/marks/NAME/CRC-BYTES-COUNT` that is made first.
 *
 * Bytes go to `.stp/temporary/` and are flushed; then the mark is made; then a hard link under the object's name, which
 * appears completely or fails because the name is taken. A process killed at any point leaves at most a temporary file
 * (removed a day later) or a mark without its object, which is ignored.
 */
import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactRef } from '@stp/config/records';
import { checksumOfFile } from './contents.ts';
import { Crc32c } from './crc32c.ts';
import { RESERVED_PART } from './names.ts';
import { damaged, differs } from './store-errors.ts';

const MARK = /^([0-9a-f]{8})-(\d{1,15})-(\d{1,15})$/;
/** An object is written once, so it has one version. */
const GENERATION = '1';
/** No write takes longer than this; older temporary files come from killed processes. */
const TEMPORARY_AGE_MS_MAX = 24 * 60 * 60 * 1000;

export interface FileObject {
  readonly ref: ArtifactRef;
  readonly updated: Date;
}

export class FileObjects {
  readonly folder: string;
  readonly root: string;

  constructor(folder: string, root: string) {
    this.folder = folder;
    this.root = root;
  }

  pathOf(name: string): string {
    return join(this.folder, ...name.split('/'));
  }

  /** Returns a path in the store's own folder: `own('marks', name)`. */
  own(kind: 'marks' | 'temporary', name = ''): string {
    return join(this.folder, RESERVED_PART, kind, ...name.split('/'));
  }

  /** Returns a new path for bytes being written, on the same file system as the objects. */
  async temporaryPath(): Promise<string> {
    await makeFolder(this.own('temporary'));
    return this.own('temporary', randomUUID());
  }

  /** Returns an object's metadata from its size and mark, or null. Reads the bytes only if two marks match the size. */
  async inspect(name: string): Promise<FileObject | null> {
    const path = this.pathOf(name);
    const file = await lstat(path).catch(nullWhenMissing);
    if (file === null || !file.isFile()) return null;
    const names = (await readdir(this.own('marks', name)).catch(nullWhenMissing)) ?? [];
    const marks = names.map((mark) => MARK.exec(mark)).filter((mark) => mark !== null);
    if (marks.length === 0) return null;
    let fitting = marks.filter((mark) => Number(mark[2]) === file.size);
    if (new Set(fitting.map((mark) => mark[1])).size > 1) {
      const actual = toHex((await checksumOfFile(path)).toBase64());
      fitting = fitting.filter((mark) => mark[1] === actual);
    }
    const mark = fitting[0];
    const uri = `${this.root}/${name}`;
    if (mark === undefined) throw damaged(uri, `its ${file.size} bytes are not the ones that were written`);
    const crc32c = Buffer.from(mark[1]!, 'hex').toString('base64');
    return {
      ref: { uri, generation: GENERATION, crc32c, bytes: file.size, count: Number(mark[3]) },
      updated: file.mtime,
    };
  }

  /** Gives the flushed temporary file its name. An existing object with the same bytes counts as success. */
  async publish(name: string, temporaryPath: string, crc: Crc32c, count: number): Promise<ArtifactRef> {
    const path = this.pathOf(name);
    const uri = `${this.root}/${name}`;
    const crc32c = crc.toBase64();
    const mark = join(this.own('marks', name), `${toHex(crc32c)}-${crc.bytes}-${count}`);
    await makeFolder(dirname(mark));
    await writeFile(mark, '');
    await syncFolder(dirname(mark));
    await makeFolder(dirname(path));
    try {
      await link(temporaryPath, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await stat(path)).isFile()) throw error;
      // Another process was first: its bytes stay, even if the marks differ.
      const stored = (await checksumOfFile(path)).toBase64();
      if (stored !== crc32c) {
        await rm(mark, { force: true });
        throw differs(uri, stored, crc32c);
      }
    }
    await syncFolder(dirname(path));
    return { uri, generation: GENERATION, crc32c, bytes: crc.bytes, count };
  }

  /**
   * Removes the object first. If the process is killed in between, only marks without their object remain, which are
   * ignored.
   */
  async remove(name: string, generation: string): Promise<boolean> {
    if (generation !== GENERATION) return false;
    try {
      await rm(this.pathOf(name));
    } catch (error) {
      return nullWhenMissing(error as NodeJS.ErrnoException) ?? false;
    }
    await syncFolder(dirname(this.pathOf(name)));
    await rm(this.own('marks', name), { recursive: true, force: true });
    return true;
  }

  /** Removes old files of killed processes; a read-only store is left unchanged. */
  async sweepTemporary(): Promise<void> {
    for (const name of await readdir(this.own('temporary')).catch(() => [] as string[])) {
      const path = this.own('temporary', name);
      const file = await stat(path).catch(() => null);
      if (file === null || Date.now() - file.mtimeMs < TEMPORARY_AGE_MS_MAX) continue;
      await rm(path, { force: true }).catch(() => {});
    }
  }
}

/** Writes pieces to a new file and flushes it to the disk. Returns checksum and length. */
export async function writeFlushed(
  path: string,
  input: AsyncIterable<Buffer>,
  onProgress?: (bytesWritten: number) => void,
): Promise<Crc32c> {
  const crc = new Crc32c();
  const file = await open(path, 'wx');
  try {
    for await (const piece of input) {
      await file.appendFile(piece);
      crc.update(piece);
      onProgress?.(crc.bytes);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return crc;
}

/** Makes a folder and its parents. Node's recursive `mkdir` reports "not there" on a read-only file system. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

function toHex(crc32c: string): string {
  return Buffer.from(crc32c, 'base64').toString('hex');
}
