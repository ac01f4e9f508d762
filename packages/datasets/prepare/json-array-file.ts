/** Writes a JSON array one element at a time, for readers that accept no other form. */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export class JsonArrayFile {
  readonly #stream: WriteStream;
  readonly #done: Promise<void>;
  #isEmpty = true;

  constructor(path: string) {
    this.#stream = createWriteStream(path);
    this.#done = finished(this.#stream);
    // a failure is reported by the next write or by close
    this.#done.catch(() => {});
  }

  async write(element: unknown): Promise<void> {
    const written = this.#stream.write(`${this.#isEmpty ? '[\n' : ',\n'}${JSON.stringify(element)}`);
    this.#isEmpty = false;
    if (!written) await Promise.race([once(this.#stream, 'drain'), this.#done]);
  }

  /** Resolves once the file is complete. */
  async close(): Promise<void> {
    this.#stream.end(this.#isEmpty ? '[]\n' : '\n]\n');
    await this.#done;
  }
}
