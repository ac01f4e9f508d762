/**
 * Splits a client's input into lines up to a maximum length. A longer line is dropped: the client gets an error for its
 * request, and later lines are read as usual.
 */
import { Transform, type TransformCallback } from 'node:stream';

const NEWLINE = 10;
/** Bytes at either end of a line in which the request's id is searched: clients write it first or last. */
const ENDS_BYTES = 512;
const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*,/u;
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*\}\s*$/u;

export class BoundedLines extends Transform {
  readonly #bytesMax: number;
  readonly #onLong: (id: string | null) => void;
  /** Pieces of the line so far; for a line that is too long, only its beginning and end. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isLong = false;

  /** @param onLong receives the request's id as JSON, or null if it is not found */
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
    // Make a copy, because a slice would keep the whole buffer in memory.
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
