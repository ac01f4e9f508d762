/**
 * STP's evaluation log `generated_proofs_tests.jsonl.gz`: one record for each (statement, sample), as STP's tools write
 * and read it (docs/algorithm.md, section 10). Both directions stream. A log may come from strangers, so the length of
 * lines is limited and each line is checked.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StpError } from '@stp/base';
import { linesOf, unreadable } from '@stp/base/files';
import type { ArtifactRef, ObjectStore, Sample, Statement, Verdict } from '@stp/config/records';
import { z } from 'zod';

export const EVALUATION_LOG = 'generated_proofs_tests.jsonl.gz';

/** Text that STP's tools write for a proof that was never verified. They search `system_errors` for it. */
const TEST_FAILED = 'test failed';
/** Longest line that is read. Lean's messages can contain goals of several hundred kB. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Most samples of a statement; a hundred times the largest budget that anyone has reported. */
export const ITERATIONS_MAX = 2 ** 21;

/** Schema of the keys that are read; others are ignored. */
const attemptSchema = z.object({
  statement: z.string().min(1).max(65_536),
  iter: z
    .number()
    .int()
    .nonnegative()
    .max(ITERATIONS_MAX - 1),
  /** Absent if the proof was not verified. */
  complete: z.boolean().nullish(),
  system_errors: z.string().nullish(),
});

export interface Attempt {
  readonly statement: string;
  /** Index of the statement's sample, from 0. */
  readonly index: number;
  readonly isProved: boolean;
  /** False if the proof was never verified. */
  readonly isVerified: boolean;
}

/**
 * Yields the records of the log at `path`, gzip or plain. Throws STP1501 with the line number for a line that is not a
 * record, and STP1405 for a missing file.
 */
export async function* readEvaluationLog(path: string): AsyncGenerator<Attempt> {
  for await (const { line, text } of linesOf(await bytesOf(path), path, LINE_BYTES_MAX)) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw notARecord(`${path}:${line}`, 'not JSON', cause);
    }
    const parsed = attemptSchema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw notARecord(`${path}:${line}`, `${issue?.path.join('.') || 'record'}: ${issue?.message}`, parsed.error);
    }
    const { statement, iter, complete, system_errors } = parsed.data;
    yield {
      statement,
      index: iter,
      isProved: complete === true,
      isVerified: !(system_errors ?? '').includes(TEST_FAILED),
    };
  }
}

async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const file = await open(path).catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
  const isGzip = await file
    .read(Buffer.alloc(2), 0, 2, 0)
    .then(({ buffer, bytesRead }) => bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b)
    // Opening a folder succeeds, but reading it fails.
    .catch((cause: unknown) => {
      throw unreadable(path, cause);
    })
    .finally(() => file.close());
  const raw = createReadStream(path);
  return readable(path, isGzip ? raw.pipe(createGunzip()) : raw, raw);
}

async function* readable(path: string, bytes: Readable, source: Readable): AsyncGenerator<Buffer> {
  // `pipe` does not forward an error of its source.
  source.once('error', (error) => bytes.destroy(error));
  try {
    yield* bytes as AsyncIterable<Buffer>;
  } catch (cause) {
    if (cause instanceof StpError) throw cause;
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw unreadable(path, cause);
    throw notARecord(path, `damaged or cut gzip data (${(cause as Error).message})`, cause);
  } finally {
    source.destroy();
  }
}

function notARecord(where: string, problem: string, cause: unknown): StpError {
  return new StpError('STP1501', `${where}: ${problem}`, 'Is this a complete log of `stp eval` or of STP?', {
    facts: { where },
    cause,
  });
}

/** One proof text with its verdict and the log's other data. */
export interface JudgedSample {
  readonly statement: Statement;
  /** Number of first answers for the statement; revisions have indices from here on. */
  readonly firstSamples: number;
  readonly sample: Sample;
  readonly verdict: Verdict;
}

/** Yields one record in STP's fields for each sample that had this text. */
export function* logRecords(judged: JudgedSample, lemmaId: number, round: number | null): Generator<object> {
  const { statement, sample, verdict } = judged;
  const proof = `\n${indented(sample.proof)}`;
  const opening = `${statement.statement} := by`;
  const isComplete = verdict.kind === 'proved';
  for (const iter of sample.indices)
    yield {
      statement: opening,
      proof,
      header: statement.header,
      label: statement.labels,
      lemma_id: lemmaId,
      matching_weight: statement.weight,
      iter,
      // Repeats get records of their own, because STP identifies a sample by its index too.
      multiplicity: 1,
      round,
      complete: isComplete,
      pass: isComplete || verdict.kind === 'sorry',
      sorries: [],
      errors: verdict.messages
        .filter((message) => message.severity === 'error')
        .map(({ severity, line, column, text }) => ({ severity, pos: { line, column }, data: text })),
      system_messages: '',
      system_errors: systemErrors(verdict),
      invokes: verdict.premises,
      verified_code: `${statement.header ?? ''}\n${opening}${proof}`.trimStart(),
      verify_time: verdict.checkMs / 1_000,
    };
}

function systemErrors({ kind }: Verdict): string | null {
  switch (kind) {
    case 'infra':
      return TEST_FAILED;
    case 'timeout':
    case 'oom':
    case 'crash':
    case 'header_error':
    case 'forbidden':
    case 'no_proof':
    case 'changed_statement':
      return kind;
    case 'proved':
    case 'rejected':
    case 'sorry':
      return null;
  }
}

function indented(proof: string): string {
  return proof
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}

/** Writes records as gzipped JSON Lines, through a local file at `scratchPath`. The reference contains their count. */
export async function writeEvaluationLog(
  store: ObjectStore,
  records: AsyncIterable<object>,
  scratchPath: string,
  signal: AbortSignal,
): Promise<ArtifactRef> {
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const record of records) {
      count++;
      yield `${JSON.stringify(record)}\n`;
    }
  }
  try {
    await pipeline(lines(), createGzip(), createWriteStream(scratchPath), { signal });
    return await store.putFile(EVALUATION_LOG, scratchPath, { count, signal });
  } finally {
    await rm(scratchPath, { force: true });
  }
}
