/**
 * The verdict cache on disk: append-only files with one checksummed entry per line. Truncated or altered lines are
 * skipped. Each process writes files of its own, so that lines of different processes do not mix. If the folder is too
 * large, the oldest files are removed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Size in bytes at which a new file is started. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum bytes of all files together: twice the limit in memory, to accommodate several processes. */
const FOLDER_BYTES_MAX = 8 * FILE_BYTES_MAX;

export interface CacheFiles {
  /** Yields the contents of the files that existed when the cache was opened, the last written last. */
  bodies(): AsyncGenerator<string>;
  /**
   * Resolves when the line has been passed to the operating system. If the disk is full, prints one warning and stops
   * writing.
   */
  append(body: string): Promise<void>;
}

export interface CacheFileLimits {
  readonly fileBytesMax: number;
  readonly folderBytesMax: number;
}

const LIMITS: CacheFileLimits = { fileBytesMax: FILE_BYTES_MAX, folderBytesMax: FOLDER_BYTES_MAX };

export async function openCacheFiles(directory: string, limits: CacheFileLimits = LIMITS): Promise<CacheFiles> {
  await mkdir(directory, { recursive: true });
  const earlier = await prune(directory, limits.folderBytesMax);
  let path = newFile(directory);
  let written = 0;
  let isWritable = true;
  let writing: Promise<void> = Promise.resolve();

  async function write(line: string): Promise<void> {
    if (!isWritable) return;
    try {
      if (written >= limits.fileBytesMax) {
        path = newFile(directory);
        written = 0;
        await prune(directory, limits.folderBytesMax);
      }
      await appendFile(path, line);
      written += Buffer.byteLength(line);
    } catch (error) {
      isWritable = false;
      process.emitWarning(`verdicts are no longer cached: ${path} cannot be written (${(error as Error).message})`);
    }
  }

  return {
    async *bodies() {
      for (const file of earlier) yield* bodiesOf(file);
    },
    append(body) {
      writing = writing.then(() => write(`${checksum(body)} ${body}\n`));
      return writing;
    },
  };
}

const newFile = (directory: string): string =>
  join(directory, `verdicts-${process.pid}-${randomBytes(6).toString('hex')}.jsonl`);

/** Removes the oldest files until the others are within the limit. Returns these, the last written last. */
async function prune(directory: string, bytesMax: number): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^verdicts-.*\.jsonl$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      // Another process may have removed the file.
      const { mtimeMs, size } = await stat(path).catch(() => ({ mtimeMs: 0, size: 0 }));
      return { path, mtimeMs, size };
    }),
  );
  files.sort((left, right) => right.mtimeMs - left.mtimeMs);
  let bytes = 0;
  const kept: string[] = [];
  for (const { path, size } of files) {
    bytes += size;
    if (bytes <= bytesMax) kept.unshift(path);
    else await rm(path, { force: true });
  }
  return kept;
}

async function* bodiesOf(path: string): AsyncGenerator<string> {
  const file = await open(path).catch(() => null);
  if (file === null) return;
  for await (const line of file.readLines()) {
    const body = line.slice(17);
    if (line[16] === ' ' && checksum(body) === line.slice(0, 16)) yield body;
  }
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
