/**
 * Streams the elements of a JSON array, each as text up to a limit, so that memory use depends only on the longest
 * element. It finds the elements' boundaries (brackets, strings); `JSON.parse` reads an element.
 */
import { StpError } from './errors.ts';
import { decodeUtf8, fileChunks } from './lines.ts';

export interface ArrayElement {
  /** 1-based index in the array. */
  readonly row: number;
  /** 1-based line of the file on which the element begins. */
  readonly line: number;
  readonly text: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NEWLINE = 0x0a;
/** Space, tab and line ends. The byte order mark counts as blank only before the array. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf]);

/**
 * Yields the elements of the array in `path`, in order. Throws STP1501 with file and line if the text is not an array,
 * is truncated, continues after the array, or has an element longer than `elementBytesMax`; STP1405 if it cannot be
 * read.
 */
export async function* readJsonArray(path: string, elementBytesMax: number): AsyncGenerator<ArrayElement> {
  let state = 'before' as 'before' | 'inside' | 'after';
  let line = 1;
  let row = 0;
  /** Number of brackets open within the element; the others track the position within a string. */
  let depth = 0;
  let inString = false;
  let escaped = false;
  let started = false;
  let startLine = 1;
  let parts: Buffer[] = [];
  let bytes = 0;
  const fail = (problem: string): StpError =>
    new StpError('STP1501', `${path}:${line}: ${problem}`, 'Is this one whole JSON array, or JSON Lines?', {
      facts: { path, line },
    });
  const keep = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > elementBytesMax) throw fail(`element ${row + 1} is longer than ${elementBytesMax} bytes`);
    parts.push(part);
  };
  const element = (): ArrayElement => {
    row += 1;
    const text = decodeUtf8(Buffer.concat(parts), `${path}:${startLine}`).trim();
    parts = [];
    bytes = 0;
    started = false;
    return { row, line: startLine, text };
  };
  for await (const chunk of fileChunks(path)) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === NEWLINE) line += 1;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        continue;
      }
      if (BLANKS.has(byte)) continue;
      if (state !== 'inside') {
        if (state === 'before' && byte === OPEN_ARRAY) {
          state = 'inside';
          from = at + 1;
        } else if (state === 'after' || !BYTE_ORDER_MARK.has(byte)) throw fail(`text ${state} the array`);
        continue;
      }
      if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        if (!started && (byte === COMMA || row > 0)) throw fail('an element is missing');
        keep(chunk.subarray(from, at));
        if (started) yield element();
        from = at + 1;
        if (byte === CLOSE_ARRAY) state = 'after';
        continue;
      }
      if (!started) {
        started = true;
        startLine = line;
      }
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
      if (depth < 0) throw fail('a bracket closes that was not opened');
    }
    if (state === 'inside' && from < chunk.length) keep(chunk.subarray(from));
  }
  if (state !== 'after') throw fail(state === 'before' ? 'no JSON array' : 'the array does not end');
}
