/**
 * Streams the lines of a text file, each with its number, up to size limits. Memory use is constant. Handles bytes,
 * UTF-8 and line ends, not contents.
 */
import { createReadStream } from 'node:fs';
import { StpError } from './errors.ts';

/** Maximum bytes of a line. The longest row of the public datasets (PutnamBench) is under 8 KiB. */
export const LINE_BYTES_MAX = 262_144;

export interface NumberedLine {
  /** 1-based line number. */
  readonly line: number;
  /** Text without the line end. */
  readonly text: string;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Yields the non-blank lines of `path` in order. Throws STP1501 for a line that is too long or not UTF-8, STP1405 if
 * the file cannot be read.
 */
export function readLines(path: string): AsyncGenerator<NumberedLine> {
  return linesOf(fileChunks(path), path, LINE_BYTES_MAX);
}

/** The same for bytes from any source; errors refer to them as `path`. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  path: string,
  lineBytesMax: number,
): AsyncGenerator<NumberedLine> {
  for await (const found of anyLinesOf(chunks, lineBytesMax)) {
    if ('text' in found) yield found;
    else if (found.problem === 'too long') throw tooLong(path, found.line, lineBytesMax);
    else throw notUtf8(`${path}:${found.line}`);
  }
}

/** A line that cannot be read. An overlong line is reported at once and skipped to its end. */
export interface UnreadableLine {
  readonly line: number;
  readonly problem: 'too long' | 'not UTF-8';
}

/** Yields non-blank lines in order. An unreadable line is reported in sequence, and reading continues. */
export async function* anyLinesOf(
  chunks: AsyncIterable<Buffer>,
  lineBytesMax: number,
): AsyncGenerator<NumberedLine | UnreadableLine> {
  let line = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isPassedBy = false;
  const take = (): NumberedLine | UnreadableLine | null => {
    const bytes = Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    const text = utf8Of(bytes.subarray(0, end));
    if (text === null) return { line, problem: 'not UTF-8' };
    return text.trim() === '' ? null : { line, text };
  };
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline < 0 ? chunk.length : newline;
      if (!isPassedBy && pendingBytes + end - start > lineBytesMax) {
        isPassedBy = true;
        pending = [];
        pendingBytes = 0;
        yield { line, problem: 'too long' };
      } else if (!isPassedBy) {
        pending.push(chunk.subarray(start, end));
        pendingBytes += end - start;
      }
      if (newline >= 0) {
        const found = isPassedBy ? null : take();
        if (found !== null) yield found;
        isPassedBy = false;
        line += 1;
      }
      start = end + 1;
    }
  }
  const last = take();
  if (last !== null) yield last;
}

/** Decodes UTF-8 without a byte order mark. Throws STP1501 with `where` if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array, where: string): string {
  const text = utf8Of(bytes);
  if (text === null) throw notUtf8(where);
  return text;
}

function utf8Of(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function notUtf8(where: string): StpError {
  return new StpError('STP1501', `${where}: not UTF-8`, 'Convert the file to UTF-8.', { facts: { where } });
}

/** Returns the error for a file that cannot be opened or read. */
export function unreadable(path: string, cause: unknown): StpError {
  return new StpError('STP1405', `cannot read ${path}`, 'Check the path and its permissions.', {
    facts: { path },
    cause,
  });
}

/** Yields the bytes of a file as they arrive. Throws STP1405 if it cannot be read. */
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
