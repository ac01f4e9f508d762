/**
 * A log file of limited size for the output of a process: when it is full, it replaces `FILE.1`, and a new one begins.
 * So at least the last half of the allowed size is always there. The tail is kept in memory.
 */
import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

/** Most bytes of each of the two files. */
const FILE_BYTES_MAX = 32 * 1024 * 1024;
/** End of the text kept for messages, characters. */
const TAIL_CHARS = 16_384;

export class CappedLog {
  readonly path: string;
  readonly #bytesMax: number;
  #file: WriteStream;
  #bytes: number;
  #tail = '';

  constructor(path: string, bytesMax = FILE_BYTES_MAX) {
    this.path = path;
    this.#bytesMax = bytesMax;
    mkdirSync(dirname(path), { recursive: true });
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.#file = this.#open();
  }

  /** Last characters written since it was opened. */
  get tail(): string {
    return this.#tail;
  }

  /** Takes a stream over: what comes is written, however fast. */
  take(stream: Readable): void {
    stream.on('data', (part: Buffer) => this.write(part));
  }

  write(part: Buffer | string): void {
    const bytes = Buffer.from(part);
    this.#tail = (this.#tail + bytes.toString('utf8')).slice(-TAIL_CHARS);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#bytesMax) {
      this.#file.end();
      renameSync(this.path, `${this.path}.1`);
      this.#bytes = 0;
      this.#file = this.#open();
    }
    this.#bytes += bytes.length;
    this.#file.write(bytes);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#file.end(resolve));
  }

  #open(): WriteStream {
    const file = createWriteStream(this.path, { flags: 'a' });
    // A log that cannot be written must not end what it is the log of; the tail stays.
    file.on('error', () => undefined);
    return file;
  }
}
