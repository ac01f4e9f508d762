/** Record files (JSON Lines) in a store: streamed in and out, every line checked by its schema. */

import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import type { z } from 'zod';
import { LINE_BYTES_MAX, lineBatches } from './line-batches.ts';
import { RecordWriter } from './record-writer.ts';

/** Records of a file in order. A line that is not one is STP1402 with object and line number. */
export async function* readRecords<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): AsyncGenerator<T> {
  let lineNumber = 0;
  const tooLong = (line: number): StpError => damagedLine(ref.uri, line, `is longer than ${LINE_BYTES_MAX} bytes`);
  for await (const lines of lineBatches(await store.stream(ref), tooLong))
    for (const line of lines) {
      lineNumber++;
      if (line !== '') yield parseLine(line, schema, ref.uri, lineNumber);
    }
}

/** The full schema for every line: it costs half of what parsing the JSON does (0.5 of 1 µs a sample). */
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

/** All records in memory: for files that are bounded by a shard or by the statements of a run. */
export async function readAll<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T[]> {
  return Array.fromAsync(readRecords(store, ref, schema));
}

/**
 * Writes records as JSON Lines; the reference counts them. A `*` in the name becomes a hash of the content: for records
 * that hold times or depend on Lean's mood, so that a second attempt does not collide.
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
 * Does a piece of work once: where its result is in the store already (a retried activity, a retried round), that one is
 * returned. The result object is written last, after all that it refers to. Of two attempts at the same time (one that was
 * given up for lost works on) the first one's result counts, and both return it.
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
  const parsed = schema.safeParse(JSON.parse((await store.get(ref)).toString('utf8')));
  if (!parsed.success) throw damagedLine(ref.uri, 1, parsed.error.issues[0]?.message ?? 'does not fit', parsed.error);
  return parsed.data;
}

/** STP1402 for a line of a record file. */
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
