/**
 * A prepared SFT set: a folder of example shards (JSON Lines), held-out examples, the theorems behind them, and a
 * manifest with counts and checksums, written last. It is streamed in both directions.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { linesOf, madeBy, unreadable } from '@stp/base/files';
import { type Example, exampleSchema, type LibraryTheorem, libraryTheoremSchema } from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import { z } from 'zod';
import { writeFolder } from './folder.ts';
import { type LineFile, lineFileSchema, writeLines } from './line-file.ts';

/** Examples in a shard; about 20 MB at 1 KB each. */
const EXAMPLES_PER_SHARD = 20_000;
const MANIFEST_BYTES_MAX = 1 << 20;
/** Maximum size of a record: statement, proof, header and premises at their limits, in JSON. */
const RECORD_BYTES_MAX = 1 << 18;
const { read, damaged } = madeBy('Prepare the set again with --replace.');

const count = z.number().int().nonnegative();
export const sftManifestSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** Shards in order; the examples are already shuffled. */
  train: z.array(lineFileSchema),
  heldOut: lineFileSchema,
  /** Theorems for looking up the lemmas of conjecturer examples. */
  theorems: lineFileSchema,
  counts: z.strictObject({
    theorems: count,
    proverExamples: count,
    conjecturerExamples: count,
    heldOutTheorems: count,
    /** Prover examples that ask for the next tactic in a proof state. */
    stateExamples: count,
  }),
});
export type SftManifest = z.infer<typeof sftManifestSchema>;

export interface SftSetContent {
  readonly name: string;
  readonly train: Iterable<Example> | AsyncIterable<Example>;
  readonly heldOut: Iterable<Example>;
  readonly theorems: Iterable<LibraryTheorem> | AsyncIterable<LibraryTheorem>;
  readonly heldOutTheorems: number;
  /** Markdown. */
  readonly card: (counts: SftManifest['counts']) => string;
}

/** Writes the set as `folder`, whole or not at all. Throws STP1002 if it exists and `replace` is false. */
export async function writeSftSet(folder: string, replace: boolean, content: SftSetContent): Promise<SftManifest> {
  return writeFolder(folder, replace, async (partial) => {
    const roles = { prover: 0, conjecturer: 0 };
    let states = 0;
    async function* counted(): AsyncGenerator<Example> {
      for await (const example of content.train) {
        roles[example.role] += 1;
        if (example.prompt.includes(STATE_MARKER)) states += 1;
        yield example;
      }
    }
    const train: LineFile[] = [];
    for await (const shard of inParts(counted(), EXAMPLES_PER_SHARD))
      train.push(await writeLines(partial, `train-${String(train.length).padStart(4, '0')}.jsonl`, shard));
    const heldOut = await writeLines(partial, 'held-out.jsonl', content.heldOut);
    const theorems = await writeLines(partial, 'theorems.jsonl', content.theorems);
    const manifest: SftManifest = {
      name: content.name,
      train,
      heldOut,
      theorems,
      counts: {
        theorems: theorems.count,
        proverExamples: roles.prover,
        conjecturerExamples: roles.conjecturer,
        heldOutTheorems: content.heldOutTheorems,
        stateExamples: states,
      },
    };
    await writeFile(join(partial, 'card.md'), content.card(manifest.counts));
    await writeFile(join(partial, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    return manifest;
  });
}

export interface SftSet {
  readonly manifest: SftManifest;
  train(): AsyncGenerator<Example>;
  heldOut(): AsyncGenerator<Example>;
  theorems(): AsyncGenerator<LibraryTheorem>;
}

/** Opens a set. Throws STP1405 if there is none, STP1402 (now or while reading) if a file differs from its manifest. */
export async function openSftSet(folder: string): Promise<SftSet> {
  const path = join(folder, 'manifest.json');
  let text: string;
  try {
    if ((await stat(path)).size > MANIFEST_BYTES_MAX) throw damaged(path, `more than ${MANIFEST_BYTES_MAX} bytes`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw cause instanceof StpError ? cause : unreadable(path, cause);
  }
  const manifest = read(text, sftManifestSchema, path);
  return {
    manifest,
    async *train() {
      for (const shard of manifest.train) yield* records(folder, shard, exampleSchema);
    },
    heldOut: () => records(folder, manifest.heldOut, exampleSchema),
    theorems: () => records(folder, manifest.theorems, libraryTheoremSchema),
  };
}

/** Yields the records of a file; at its end count and checksum are compared. */
async function* records<T>(folder: string, file: LineFile, schema: z.ZodType<T>): AsyncGenerator<T> {
  const path = join(folder, file.file);
  const digest = createHash('sha256');
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
        digest.update(chunk);
        yield chunk;
      }
    } catch (cause) {
      throw cause instanceof StpError ? cause : unreadable(path, cause);
    }
  }
  let found = 0;
  for await (const { line, text } of linesOf(bytes(), path, RECORD_BYTES_MAX)) {
    found += 1;
    yield read(text, schema, `${path}:${line}`);
  }
  if (found !== file.count || digest.digest('hex') !== file.sha256)
    throw damaged(path, `${found} records of ${file.count}, or with another checksum than the manifest's`);
}

/** Yields `items` in parts of `size`; each must be read to its end before the next. */
async function* inParts<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<AsyncGenerator<T>> {
  const iterator = items[Symbol.asyncIterator]();
  let next = await iterator.next();
  async function* part(): AsyncGenerator<T> {
    for (let taken = 0; taken < size && next.done !== true; taken++) {
      yield next.value;
      next = await iterator.next();
    }
  }
  while (next.done !== true) yield part();
}
