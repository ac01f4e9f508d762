/**
 * Stores records in parts as they arrive, so that the next attempt continues where a lost one stopped. Each part holds
 * the next records in order of arrival. Two concurrent attempts write parts with different names.
 */

import type { ObjectStore } from '@stp/config/records';
import type { z } from 'zod';
import { readAll, writeRecords } from './record-files.ts';

export interface PartsOptions<T> {
  readonly schema: z.ZodType<T>;
  /** Part of the names of this attempt's parts, which distinguishes them from those of other attempts. */
  readonly tag: string;
  /** A part is written when it has this many records, … */
  readonly recordsMax: number;
  /** … or with the first record after this time, ms. A lost worker loses at most this time of its node. */
  readonly afterMs: number;
  /** Called with each part that this attempt has stored. */
  readonly onPart?: (records: readonly T[], name: string) => void;
}

export class RecordParts<T> {
  /** Parts of earlier attempts in order, with their names and records. */
  readonly earlier: readonly { readonly name: string; readonly records: readonly T[] }[];
  readonly #store: ObjectStore;
  readonly #folder: string;
  readonly #options: PartsOptions<T>;
  #parts: number;
  #pending: T[] = [];
  #lastPartAtMs = performance.now();
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    store: ObjectStore,
    folder: string,
    options: PartsOptions<T>,
    earlier: RecordParts<T>['earlier'],
  ) {
    this.#store = store;
    this.#folder = folder;
    this.#options = options;
    this.earlier = earlier;
    this.#parts = earlier.length;
  }

  static async open<T>(store: ObjectStore, folder: string, options: PartsOptions<T>): Promise<RecordParts<T>> {
    const names: string[] = [];
    for await (const { name } of store.list(`${folder}/`)) names.push(name);
    const earlier: { name: string; records: T[] }[] = [];
    for (const name of names.sort()) {
      const ref = await store.stat(name);
      earlier.push({ name, records: ref === null ? [] : await readAll(store, ref, options.schema) });
    }
    return new RecordParts(store, folder, options, earlier);
  }

  add(record: T): void {
    this.#pending.push(record);
    const isDue = performance.now() - this.#lastPartAtMs >= this.#options.afterMs;
    if (this.#pending.length >= this.#options.recordsMax || isDue) this.#cut();
  }

  /** Stores all records received so far. Call it when the attempt ends early. Never throws. */
  async keepAll(): Promise<void> {
    if (this.#pending.length > 0) this.#cut();
    await this.#writing.catch(() => undefined);
  }

  /** Resolves when every started part is in the store; throws the error that kept a part out of it. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Removes all parts, once the final result is in the store. Never throws. */
  async remove(): Promise<void> {
    this.#pending = [];
    await this.#writing.catch(() => undefined);
    try {
      for await (const { name } of this.#store.list(`${this.#folder}/`)) {
        const ref = await this.#store.stat(name);
        if (ref !== null) await this.#store.remove(ref);
      }
    } catch {
      // Remaining parts take space, but nothing reads them.
    }
  }

  #cut(): void {
    const records = this.#pending;
    this.#pending = [];
    this.#lastPartAtMs = performance.now();
    const name = `${this.#folder}/${String(this.#parts++).padStart(5, '0')}-${this.#options.tag}-*.jsonl`;
    this.#writing = this.#writing.then(async () => {
      const { uri } = await writeRecords(this.#store, name, records);
      this.#options.onPart?.(records, uri.slice(uri.lastIndexOf(this.#folder)));
    });
    // The promise is awaited at the end; until then a rejection would have no handler.
    this.#writing.catch(() => undefined);
  }
}
