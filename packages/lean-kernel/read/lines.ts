/** Reads the lines of a file, plain or gzip. A line longer than the limit ends the reading. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { InputError } from '../input-error.ts';

const NEWLINE = 10;
const GZIP_MAGIC = 0x1f8b;
const CHUNK_BYTES = 1 << 18;

/**
 * Yields batches of lines, so that a caller awaits once per chunk instead of once per line. Empty lines are omitted.
 */
export async function* readLines(file: string, lineBytesMax: number): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let source: ReturnType<typeof createReadStream> | null = null;
  try {
    const isGzip = await startsWithMagic(file);
    source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    const bytes = isGzip ? source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : source;
    // `pipe` does not forward errors of its source.
    source.on('error', (error) => bytes.destroy(error));
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      const last = chunk.lastIndexOf(NEWLINE);
      if (last < 0) {
        rest.push(chunk);
        restBytes += chunk.length;
      } else {
        const whole = Buffer.concat([...rest, chunk.subarray(0, last)]).toString('utf8');
        rest = [chunk.subarray(last + 1)];
        restBytes = chunk.length - last - 1;
        yield whole.split('\n').filter((line) => line !== '');
      }
      if (restBytes > lineBytesMax)
        throw new InputError(`${file}: a line longer than ${lineBytesMax} bytes`, 'Give an export of lean4export.');
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be read: ${(error as Error).message}`, 'Give a readable export file.', {
      cause: error,
    });
  } finally {
    source?.destroy();
  }
  const end = Buffer.concat(rest).toString('utf8');
  if (end !== '') yield [end];
}

async function startsWithMagic(file: string): Promise<boolean> {
  for await (const chunk of createReadStream(file, { end: 1 }) as AsyncIterable<Buffer>)
    return chunk.length === 2 && chunk.readUInt16BE(0) === GZIP_MAGIC;
  return false;
}
