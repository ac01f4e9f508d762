/**
 * Lines of a client up to a bound. A longer line is not kept: the client gets an error for its request, and the lines behind it are read
 * as before.
 */
import { Transform, type TransformCallback } from 'node:stream';

const NEWLINE = 10;
/** Where a request's id can stand: clients write it first or last. */
const ENDS_BYTES = 512;
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*,/u;
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*\}\s*$/u;

export class BoundedLines extends Transform {
  readonly #bytesMax: number;
  readonly #onLong: (id: string | null) => void;
  /** Pieces of the line so far; of one that is too long, its beginning and its end alone. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isLong = false;

  /** @param onLong hears the id of the request, as JSON, where it can be told */
  constructor(bytesMax: number, onLong: (id: string | null) => void) {
    super();
    this.#bytesMax = bytesMax;
    this.#onLong = onLong;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    done();
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#bytesMax) return;
    this.#isLong = true;
    const all = Buffer.concat(this.#pieces);
    // A copy: a part of the buffer would keep the whole.
    this.#pieces = [Buffer.concat([all.subarray(0, ENDS_BYTES), all.subarray(-ENDS_BYTES)])];
    this.#bytes = this.#bytesMax + 1;
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces);
    if (this.#isLong) {
      const text = line.toString('latin1');
      this.#onLong((ID_FIRST.exec(text) ?? ID_LAST.exec(text))?.[1] ?? null);
    } else {
      this.push(line);
      this.push('\n');
    }
    this.#pieces = [];
    this.#bytes = 0;
    this.#isLong = false;
  }
}
