/**
 * Reads the lines of a byte stream, all lines of one chunk together. One await for many lines makes it fast enough for
 * millions.
 */

/** Longest line read. A sample of 16 k characters of four-byte text with its fields fits. */
export const LINE_BYTES_MAX = 256 * 1024;

const LINE_END = 10;

/**
 * Yields the lines without their ends, in order; a last line without an end counts too. `tooLong`, if given, makes the
 * error for a line over `LINE_BYTES_MAX` bytes from its number (1-based): text from elsewhere must not fill the memory.
 */
export async function* lineBatches(
  stream: AsyncIterable<Buffer>,
  tooLong?: (lineNumber: number) => Error,
): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let linesBefore = 0;
  for await (const chunk of stream) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: string[] = [];
    let start = 0;
    for (let end = data.indexOf(LINE_END); end >= 0; end = data.indexOf(LINE_END, start)) {
      if (tooLong && end - start > LINE_BYTES_MAX) throw tooLong(linesBefore + lines.length + 1);
      lines.push(data.toString('utf8', start, end));
      start = end + 1;
    }
    rest = data.subarray(start);
    linesBefore += lines.length;
    if (tooLong && rest.length > LINE_BYTES_MAX) throw tooLong(linesBefore + 1);
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [rest.toString('utf8')];
}
