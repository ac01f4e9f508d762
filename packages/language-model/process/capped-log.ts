/**
 * A log file of limited size for a process's output. A full file replaces `FILE.1`, and a new one begins, so at least
 * the last half of the allowed size is kept. The tail is also kept in memory.
 */
import { createWriteStream, mkdirSync, renameSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

/** Maximum size of each of the two files. */
const FILE_BYTES_MAX = 32 * 1024 * 1024;
/** How much of the end is kept for messages, characters. */
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

  /** The last characters written since the log was opened. */
  get tail(): string {
    return this.#tail;
  }

  /** Writes everything from a stream, however fast it comes. */
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
    // A failing log must not end its process. The tail in memory stays.
    file.on('error', () => undefined);
    return file;
  }
}
