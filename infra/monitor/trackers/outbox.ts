/**
 * The outbox of a tracker: a file of this process with metrics that the tracker has not taken yet. A call only appends
 * to it, and sending runs in the background. While the tracker is down, retries become rarer. The file is bounded. It
 * outlives the process, and a later process sends its contents (`open-trackers.ts`).
 */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Entry, entryLine, readEntry, type Tracker } from './tracker.ts';

/** Limit on the file: some 80,000 metrics, or a day's training that logs every four seconds. */
const BYTES_MAX = 8_000_000;
/** Most bytes that are read and sent at once. */
const BATCH_BYTES = 65_536;
const LINGER_MS = 1_000;
const PAUSE_FIRST_MS = 2_000;
const PAUSE_MAX_MS = 300_000;
const LINE_FEED = 10;

export interface OutboxOptions {
  /** Folder of the file; removed by `close` when nothing is left in it. */
  readonly directory: string;
  readonly tracker: Tracker;
  /** Reports when a tracker stops answering, and when it answers again. */
  readonly say: (line: string) => void;
  readonly bytesMax?: number;
  readonly pauseFirstMs?: number;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #file: FileHandle;
  /** Bytes of the file, and the number of them that the tracker has taken. */
  #bytes: number;
  #sent = 0;
  #dropped = 0;
  /** Changes of the file are sequential. */
  #last: Promise<unknown> = Promise.resolve();
  #sending: Promise<void> | null = null;
  readonly #closing = new AbortController();

  private constructor(options: OutboxOptions, file: FileHandle, bytes: number) {
    this.#options = options;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Opens the folder's file, with the contents that an earlier process left. */
  static async open(options: OutboxOptions): Promise<Outbox> {
    const file = await open(join(options.directory, 'entries.jsonl'), 'a+');
    const outbox = new Outbox(options, file, (await file.stat()).size);
    // Ends a line torn by a crash.
    if (outbox.#bytes > 0) await outbox.#append('\n');
    outbox.#wake(0);
    return outbox;
  }

  /** Resolves when the entries would survive this process. When the file is full, metrics are counted and dropped. */
  async add(entries: readonly Entry[]): Promise<void> {
    const isFull = this.#bytes >= (this.#options.bytesMax ?? BYTES_MAX);
    const kept = isFull ? entries.filter(({ kind }) => kind === 'end') : entries;
    this.#dropped += entries.length - kept.length;
    if (kept.length === 0) return;
    await this.#append(kept.map((entry) => `${entryLine(entry)}\n`).join(''));
    this.#wake(LINGER_MS);
  }

  /** Sends the contents for at most this time, ms. The rest stays for a later process. */
  async close(patienceMs: number): Promise<void> {
    const limit = setTimeout(() => this.#closing.abort(), patienceMs);
    try {
      for (let before = -1; this.#sent < this.#bytes && this.#sent !== before && !this.#closing.signal.aborted; ) {
        before = this.#sent;
        await this.#sendBatch().catch(() => undefined);
      }
    } finally {
      clearTimeout(limit);
      this.#closing.abort();
      await this.#sending;
      await this.#last;
      const isEmpty = this.#sent >= this.#bytes;
      await this.#file.close();
      await this.#options.tracker.close();
      if (isEmpty) await rm(this.#options.directory, { recursive: true, force: true });
    }
  }

  get isEmpty(): boolean {
    return this.#sent >= this.#bytes;
  }

  #append(text: string): Promise<void> {
    return this.#change(async () => {
      await this.#file.appendFile(text);
      this.#bytes += Buffer.byteLength(text);
    });
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  #wake(afterMs: number): void {
    if (this.#sending !== null) return;
    this.#sending = this.#sendAll(afterMs).finally(() => {
      this.#sending = null;
      // Entries may have arrived in the meantime.
      if (!this.isEmpty && !this.#closing.signal.aborted) this.#wake(LINGER_MS);
    });
  }

  async #sendAll(afterMs: number): Promise<void> {
    const { signal } = this.#closing;
    const rest = (ms: number): Promise<unknown> => sleep(ms, null, { signal, ref: false }).catch(() => undefined);
    let pauseMs = this.#options.pauseFirstMs ?? PAUSE_FIRST_MS;
    let isDown = false;
    await rest(afterMs);
    while (!signal.aborted && !this.isEmpty) {
      try {
        await this.#sendBatch();
        if (isDown) this.#options.say('takes metrics again');
        isDown = false;
        pauseMs = this.#options.pauseFirstMs ?? PAUSE_FIRST_MS;
      } catch (error) {
        if (signal.aborted) return;
        if (!isDown) this.#options.say(`takes nothing now, metrics wait: ${(error as Error).message}`);
        isDown = true;
        await rest(pauseMs);
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
      }
    }
  }

  #turn: Promise<void> = Promise.resolve();
  /** Sends one batch at a time, also if `close` sends beside the usual sending. */
  #sendBatch(): Promise<void> {
    const done = this.#turn.then(() => this.#sendNext());
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #sendNext(): Promise<void> {
    if (this.isEmpty) return;
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(BATCH_BYTES), 0, BATCH_BYTES, this.#sent);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1;
    // A line longer than a batch was not written by us.
    const length = end === 0 ? bytesRead : end;
    const lines = buffer.subarray(0, length).toString('utf8').split('\n');
    const entries = lines.flatMap((line) => readEntry(line) ?? []);
    if (entries.length > 0) await this.#options.tracker.send(entries, this.#closing.signal);
    this.#sent += length;
    await this.#change(async () => {
      if (this.#sent < this.#bytes) return;
      await this.#file.truncate(0);
      this.#bytes = 0;
      this.#sent = 0;
      if (this.#dropped > 0)
        this.#options.say(`${this.#dropped} metrics were left out while it took nothing; metrics.jsonl has them`);
      this.#dropped = 0;
    });
  }
}
