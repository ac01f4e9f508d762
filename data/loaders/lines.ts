/**
 * Lines of a text file as a stream, each with its number, under limits. Knows bytes, UTF-8 and line ends; knows nothing
 * of JSON or of statements. A file of any length is read in constant memory.
 */
import { createReadStream } from 'node:fs';
import { StpError } from '../errors.ts';

/** Longest line accepted, in bytes. The longest row of the public datasets (PutnamBench) is under 8 KiB. */
export const LINE_BYTES_MAX = 262_144;

export interface NumberedLine {
  /** 1-based. */
  readonly line: number;
  /** Without its line end. */
  readonly text: string;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Lines of `path` in order, blank ones left out. Throws STP1501 for a line over the limit or not UTF-8, STP1405 when
 *  the file cannot be read. */
export function readLines(path: string): AsyncGenerator<NumberedLine> {
  return linesOf(fileChunks(path), path, LINE_BYTES_MAX);
}

/** The same of bytes from anywhere; `path` is what errors call them. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  path: string,
  lineBytesMax: number,
): AsyncGenerator<NumberedLine> {
  let line = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const take = (last: Buffer): NumberedLine | null => {
    line += 1;
    const bytes = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    pending = [];
    pendingBytes = 0;
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    const text = decodeUtf8(bytes.subarray(0, end), `${path}:${line}`);
    return text.trim() === '' ? null : { line, text };
  };
  const checkLength = (bytes: number) => {
    if (bytes > lineBytesMax) throw tooLong(path, line + 1, lineBytesMax);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      checkLength(pendingBytes + end - start);
      const found = take(chunk.subarray(start, end));
      start = end + 1;
      if (found !== null) yield found;
    }
    if (start < chunk.length) {
      pendingBytes += chunk.length - start;
      checkLength(pendingBytes);
      pending.push(chunk.subarray(start));
    }
  }
  if (pendingBytes > 0) {
    const found = take(Buffer.alloc(0));
    if (found !== null) yield found;
  }
}

/** UTF-8 text of `bytes` without a byte order mark; STP1501 with `where` if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new StpError('STP1501', `${where}: not UTF-8`, 'Convert the file to UTF-8.', { facts: { where }, cause });
  }
}

/** The error of a file that cannot be opened or read. */
export function unreadable(path: string, cause: unknown): StpError {
  return new StpError('STP1405', `cannot read ${path}`, 'Check the path and its permissions.', {
    facts: { path },
    cause,
  });
}

/** Bytes of a file as they come; STP1405 when it cannot be read. */
export async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (cause) {
    throw cause instanceof StpError ? cause : unreadable(path, cause);
  }
}

function tooLong(path: string, line: number, bytesMax: number): StpError {
  return new StpError(
    'STP1501',
    `${path}:${line}: line longer than ${bytesMax} bytes`,
    'Is this a JSON Lines file? A JSON array must be read whole, and starts with "[".',
    { facts: { path, line, bytesMax } },
  );
}
