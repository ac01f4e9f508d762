/**
 * Writes one record file (JSON Lines). Records pass through a local file, because the object needs their count, which
 * is known only at the end. Memory stays bounded for any number of records.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';

/** Characters buffered before they are written. */
const PENDING_CHARS_MAX = 1 << 18;

export class RecordWriter {
  readonly #directory: string;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #digest = createHash('sha256');
  #pending: string[] = [];
  #pendingChars = 0;
  #written = 0;

  private constructor(directory: string, path: string, file: FileHandle) {
    this.#directory = directory;
    this.#path = path;
    this.#file = file;
  }

  static async open(): Promise<RecordWriter> {
    const directory = await mkdtemp(join(tmpdir(), 'stp-records-'));
    const path = join(directory, 'records.jsonl');
    return new RecordWriter(directory, path, await open(path, 'wx'));
  }

  /** Number of records so far. */
  get count(): number {
    return this.#written;
  }

  /** Takes a record. Returns a promise only if the caller must await it before the next record. */
  write(record: unknown): Promise<void> | undefined {
    const line = `${JSON.stringify(record)}\n`;
    this.#pending.push(line);
    this.#pendingChars += line.length;
    this.#written++;
    return this.#pendingChars < PENDING_CHARS_MAX ? undefined : this.#flush();
  }

  /** Stores the records. A `*` in the name becomes a hash of the content (see `writeRecords`). */
  async put(store: ObjectStore, name: string, signal?: AbortSignal): Promise<ArtifactRef> {
    await this.#flush();
    const named = name.replace('*', this.#digest.copy().digest('hex').slice(0, 12));
    return store.putFile(named, this.#path, signal ? { count: this.#written, signal } : { count: this.#written });
  }

  /** Removes the local file. Call it in every case, also after an error. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingChars = 0;
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#digest.update(bytes);
    await this.#file.appendFile(bytes);
  }
}

/** Runs work with a writer for every name, and removes the writers' files at the end, also after an error. */
export async function withWriters<K extends string, T>(
  names: readonly K[],
  work: (writers: Record<K, RecordWriter>) => Promise<T>,
): Promise<T> {
  const writers = {} as Record<K, RecordWriter>;
  try {
    for (const name of names) writers[name] = await RecordWriter.open();
    return await work(writers);
  } finally {
    for (const name of names) await writers[name]?.close();
  }
}
