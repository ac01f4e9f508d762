/** Writes a JSON Lines file line by line, and counts its lines, bytes and checksum. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

export const lineFileSchema = z.strictObject({
  file: z.string().regex(/^[a-z0-9.-]+$/),
  /** Number of lines. */
  count: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  /** Hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type LineFile = z.infer<typeof lineFileSchema>;

/** Writes one record a line to `directory/file`, with one record in memory at a time. */
export async function writeLines(
  directory: string,
  file: string,
  records: Iterable<unknown> | AsyncIterable<unknown>,
): Promise<LineFile> {
  const digest = createHash('sha256');
  let count = 0;
  let bytes = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const record of records) {
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      count += 1;
      bytes += line.length;
      digest.update(line);
      yield line;
    }
  }
  await pipeline(lines, createWriteStream(`${directory}/${file}`));
  return { file, count, bytes, sha256: digest.digest('hex') };
}

/** Returns the SHA-256 of a file, hex. */
export async function fileSha256(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest('hex');
}
