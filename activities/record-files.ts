/** Record files (JSON Lines) in a store: streamed in and out, every line checked by its schema. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import { StpError } from '../data/errors.ts';
import type { ArtifactRef } from '../data/schemas/artifact.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';

/** Longest line read. A sample of 16 k characters of four-byte text with its fields fits. */
const LINE_BYTES_MAX = 256 * 1024;

/** Records of a file in order. A line that is not one is STP1402 with object and line number. */
export async function* readRecords<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): AsyncGenerator<T> {
  let lineNumber = 0;
  for await (const line of readLines(await store.stream(ref), ref.uri)) {
    lineNumber++;
    if (line === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw damagedLine(ref.uri, lineNumber, 'is not JSON', cause);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success)
      throw damagedLine(ref.uri, lineNumber, parsed.error.issues[0]?.message ?? 'does not fit', parsed.error);
    yield parsed.data;
  }
}

/** All records in memory: for files that are bounded by a shard or by the statements of a run. */
export async function readAll<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T[]> {
  return Array.fromAsync(readRecords(store, ref, schema));
}

/**
 * Writes records as JSON Lines; the reference counts them. They pass through a local file, since the count belongs to
 * the object and is known only at its end; memory stays bounded however many there are. A `*` in the name becomes a hash
 * of the content: for records that hold times or depend on Lean's mood, so that a second attempt does not collide.
 */
export async function writeRecords(
  store: ObjectStore,
  name: string,
  records: Iterable<unknown> | AsyncIterable<unknown>,
  signal?: AbortSignal,
): Promise<ArtifactRef> {
  const directory = await mkdtemp(join(tmpdir(), 'stp-records-'));
  try {
    const path = join(directory, 'records.jsonl');
    const digest = createHash('sha256');
    let count = 0;
    async function* lines(): AsyncGenerator<string> {
      for await (const record of records) {
        count++;
        const line = `${JSON.stringify(record)}\n`;
        digest.update(line);
        yield line;
      }
    }
    await pipeline(lines, createWriteStream(path));
    const named = name.replace('*', digest.digest('hex').slice(0, 12));
    return await store.putFile(named, path, signal ? { count, signal } : { count });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Does a piece of work once: where its result is in the store already (a retried activity, a retried round), that one is
 * returned. The result object is written last, after all that it refers to.
 */
export async function once<T>(
  store: ObjectStore,
  name: string,
  schema: z.ZodType<T>,
  work: () => Promise<T>,
): Promise<T> {
  const existing = await store.stat(name);
  if (existing !== null) return readJson(store, existing, schema);
  const result = await work();
  await store.put(name, `${JSON.stringify(result)}\n`);
  return result;
}

export async function readJson<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(JSON.parse((await store.get(ref)).toString('utf8')));
  if (!parsed.success) throw damagedLine(ref.uri, 1, parsed.error.issues[0]?.message ?? 'does not fit', parsed.error);
  return parsed.data;
}

async function* readLines(stream: Readable, uri: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let lineNumber = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10)) {
      lineNumber++;
      yield data.toString('utf8', 0, end);
      data = data.subarray(end + 1);
    }
    if (data.length > LINE_BYTES_MAX) throw damagedLine(uri, lineNumber + 1, `is longer than ${LINE_BYTES_MAX} bytes`);
    rest = data;
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

function damagedLine(uri: string, line: number, problem: string, cause?: unknown): StpError {
  return new StpError(
    'STP1402',
    `${uri}, line ${line} ${problem}`,
    'Remove the object; what made it will be done again.',
    {
      facts: { uri, line },
      cause,
    },
  );
}
