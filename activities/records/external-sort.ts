/**
 * Sorts more records than memory holds: an external merge sort over JSON Lines in a local folder. Stable: records with
 * equal keys keep their order. On a sorted stream, grouping and dropping repeats need one group in memory at a time.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { lineBatches } from './line-batches.ts';

export interface SortOptions<T> {
  /** Printable ASCII; records come out in its ascending order. */
  readonly key: (record: T) => string;
  /** Local folder for records that exceed the buffer. A subfolder is made in it and removed at the end. */
  readonly directory: string;
  /** Memory for keys and records before they are spilled to a file, bytes. */
  readonly bufferBytes?: number;
  /** Number of files merged at once. */
  readonly fanIn?: number;
  readonly signal?: AbortSignal;
}

const BUFFER_BYTES = 64 * 1024 * 1024;
/** 64 open files at 64 KiB each are 4 MiB; one pass over them sorts 4 GiB. */
const FAN_IN = 64;
const READ_BYTES = 64 * 1024;
/** Memory of an entry beside its text: two strings, an object, an array element. */
const ENTRY_BYTES = 100;
const WRITE_CHARS = 1 << 18;
const KEY = /^[ -~]*$/;
/** Separates key and record in a spilled line; a key never contains it. */
const SEPARATOR = '\t';

interface Entry {
  readonly key: string;
  readonly line: string;
}

const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Yields the records in the order of their keys. Throws STP1002 for a key that is not printable ASCII. */
export async function* externalSort<T>(
  records: Iterable<T> | AsyncIterable<T>,
  options: SortOptions<T>,
): AsyncGenerator<T> {
  const { key, bufferBytes = BUFFER_BYTES, fanIn = FAN_IN } = options;
  const directory = join(options.directory, `sort-${randomUUID()}`);
  let runs: string[] = [];
  let buffer: Entry[] = [];
  let buffered = 0;
  const newRun = (): string => join(directory, randomUUID());
  try {
    for await (const record of records) {
      const entry = { key: key(record), line: JSON.stringify(record) };
      if (!KEY.test(entry.key)) throw badKey(entry.key);
      buffer.push(entry);
      buffered += entry.key.length + 2 * entry.line.length + ENTRY_BYTES;
      if (buffered < bufferBytes) continue;
      options.signal?.throwIfAborted();
      await mkdir(directory, { recursive: true });
      const run = newRun();
      await writeRun(run, buffer.sort(byKey));
      runs.push(run);
      buffer = [];
      buffered = 0;
    }
    buffer.sort(byKey);
    while (runs.length >= fanIn) {
      const merged: string[] = [];
      // Adjacent files are merged with each other, so equal keys keep their order.
      for (let start = 0; start < runs.length; start += fanIn) {
        options.signal?.throwIfAborted();
        const run = newRun();
        const parts = runs.slice(start, start + fanIn);
        await writeRun(run, mergeRuns(parts.map(readRun)));
        for (const part of parts) await rm(part);
        merged.push(run);
      }
      runs = merged;
    }
    const last = buffer;
    buffer = [];
    const sources = [...runs.map(readRun), batches(last)];
    for await (const { line } of mergeRuns(sources)) yield JSON.parse(line) as T;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Groups adjacent records with equal keys. One whole group is in memory. */
export async function* groupSorted<T>(sorted: AsyncIterable<T>, key: (record: T) => string): AsyncGenerator<T[]> {
  let group: T[] = [];
  let groupKey = '';
  for await (const record of sorted) {
    const own = key(record);
    if (group.length > 0 && own !== groupKey) {
      yield group;
      group = [];
    }
    groupKey = own;
    group.push(record);
  }
  if (group.length > 0) yield group;
}

/** Yields the first of adjacent records with equal keys. */
export async function* firstOfEach<T>(sorted: AsyncIterable<T>, key: (record: T) => string): AsyncGenerator<T> {
  let last: string | null = null;
  for await (const record of sorted) {
    const own = key(record);
    if (own !== last) yield record;
    last = own;
  }
}

async function writeRun(path: string, entries: Iterable<Entry> | AsyncIterable<Entry>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    let text: string[] = [];
    let chars = 0;
    for await (const { key, line } of entries) {
      text.push(key, SEPARATOR, line, '\n');
      chars += line.length;
      if (chars < WRITE_CHARS) continue;
      await file.appendFile(text.join(''));
      text = [];
      chars = 0;
    }
    await file.appendFile(text.join(''));
  } finally {
    await file.close();
  }
}

async function* readRun(path: string): AsyncGenerator<Entry[]> {
  const stream = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const lines of lineBatches(stream))
    yield lines.map((line) => {
      const at = line.indexOf(SEPARATOR);
      return { key: line.slice(0, at), line: line.slice(at + 1) };
    });
}

async function* batches(entries: Entry[]): AsyncGenerator<Entry[]> {
  if (entries.length > 0) yield entries;
}

/**
 * Merges several sorted streams; equal keys keep the order of the sources. A binary heap holds the head of each source.
 */
async function* mergeRuns(sources: readonly AsyncGenerator<Entry[]>[]): AsyncGenerator<Entry> {
  const heads: Head[] = [];
  try {
    for (const [index, source] of sources.entries()) {
      const first = await source.next();
      if (!first.done) heads.push({ index, source, batch: first.value, at: 0 });
    }
    for (let root = (heads.length >> 1) - 1; root >= 0; root--) siftDown(heads, root);
    while (heads.length > 0) {
      const head = heads[0]!;
      yield head.batch[head.at]!;
      head.at++;
      if (head.at === head.batch.length) {
        const next = await head.source.next();
        if (next.done) {
          const tail = heads.pop()!;
          if (heads.length > 0) heads[0] = tail;
        } else {
          head.batch = next.value;
          head.at = 0;
        }
      }
      siftDown(heads, 0);
    }
  } finally {
    for (const source of sources) await source.return(undefined);
  }
}

interface Head {
  readonly index: number;
  readonly source: AsyncGenerator<Entry[]>;
  batch: Entry[];
  at: number;
}

function isBefore(a: Head, b: Head): boolean {
  const left = a.batch[a.at]!.key;
  const right = b.batch[b.at]!.key;
  return left < right || (left === right && a.index < b.index);
}

function siftDown(heads: Head[], from: number): void {
  for (let parent = from; ; ) {
    let least = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2])
      if (child < heads.length && isBefore(heads[child]!, heads[least]!)) least = child;
    if (least === parent) return;
    [heads[parent], heads[least]] = [heads[least]!, heads[parent]!];
    parent = least;
  }
}

function badKey(key: string): StpError {
  return new StpError(
    'STP1002',
    `sort key ${JSON.stringify(key.slice(0, 80))} is not printable ASCII`,
    'Use an id or a hash.',
  );
}
