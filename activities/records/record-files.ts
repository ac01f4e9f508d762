/** Record files (JSON Lines) in a store: streamed in and out, every line checked by its schema. */

import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import type { z } from 'zod';
import { LINE_BYTES_MAX, lineBatches } from './line-batches.ts';
import { RecordWriter } from './record-writer.ts';

/**
 * Yields the records of a file in order. Throws STP1402 with object and line number for a line that is not a record.
 */
export async function* readRecords<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): AsyncGenerator<T> {
  let lineNumber = 0;
  const tooLong = (line: number): StpError => damagedLine(ref.uri, line, `is longer than ${LINE_BYTES_MAX} bytes`);
  for await (const lines of lineBatches(await store.stream(ref), tooLong))
    for (const line of lines) {
      lineNumber++;
      if (line !== '') yield parseLine(line, schema, ref.uri, lineNumber);
    }
}

/** Checks every line by the full schema. This takes half as long as parsing the JSON. */
function parseLine<T>(line: string, schema: z.ZodType<T>, uri: string, lineNumber: number): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw damagedLine(uri, lineNumber, 'is not JSON', cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw damagedLine(uri, lineNumber, parsed.error.issues[0]?.message ?? 'does not fit', parsed.error);
}

/** Reads all records into memory: for files bounded by a shard or by the statements of a run. */
export async function readAll<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T[]> {
  return Array.fromAsync(readRecords(store, ref, schema));
}

/**
 * Writes records as JSON Lines; the reference contains their count. A `*` in the name becomes a hash of the content.
 * Use it for records with times or other values that vary between attempts, so that a second attempt does not collide.
 */
export async function writeRecords(
  store: ObjectStore,
  name: string,
  records: Iterable<unknown> | AsyncIterable<unknown>,
  signal?: AbortSignal,
): Promise<ArtifactRef> {
  const writer = await RecordWriter.open();
  try {
    for await (const record of records) {
      const full = writer.write(record);
      if (full === undefined) continue;
      await full;
      signal?.throwIfAborted();
    }
    return await writer.put(store, name, signal);
  } finally {
    await writer.close();
  }
}

/**
 * Does work once: if the store has its result already (a retried activity, a retried round), returns that. The result
 * object is written last, after all objects that it refers to. If two attempts run at the same time (one was presumed
 * lost), the first result counts and both return it.
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
  try {
    await store.put(name, `${JSON.stringify(result)}\n`);
    return result;
  } catch (error) {
    const earlier = error instanceof StpError && error.code === 'STP1404' ? await store.stat(name) : null;
    if (earlier === null) throw error;
    return readJson(store, earlier, schema);
  }
}

export async function readJson<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T> {
  return parseLine((await store.get(ref)).toString('utf8'), schema, ref.uri, 1);
}

/** Returns STP1402 for a line of a record file. */
export function damagedLine(uri: string, line: number, problem: string, cause?: unknown): StpError {
  return new StpError(
    'STP1402',
    `${uri}, line ${line} ${problem}`,
    'Remove the object; the step that made it will run again.',
    {
      facts: { uri, line },
      cause,
    },
  );
}
