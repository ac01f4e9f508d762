/**
 * The portfolio's results by statement: the record in the repository (`data/portfolio.jsonl`), and a file of this
 * machine. A recorded proof is only a hint, which Lean checks again before it counts. A recorded failure (no script
 * proves the statement) is trusted; reports of such figures must name the Lean that produced them.
 */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StpError } from '@stp/base';
import { PROOF_CHARS_MAX } from '@stp/config/records';
import { z } from 'zod';
import type { PortfolioOutcome } from './prove.ts';
import { PORTFOLIO_VERSION } from './scripts.ts';

const headSchema = z.strictObject({
  portfolio: z.literal(PORTFOLIO_VERSION),
  /** The Lean that was used, for people, and the hash of its toolchain and library. */
  leanVersion: z.string(),
  fingerprint: z.string(),
});
export type RecordHead = z.infer<typeof headSchema>;

const rowSchema = z.strictObject({
  /** Id of the statement: a hash of header and text. */
  id: z.string().min(1).max(128),
  proof: z.string().max(PROOF_CHARS_MAX).nullable(),
  tried: z.number().int().nonnegative(),
  /** Time that Lean spent on them, ms. */
  leanMs: z.number().nonnegative(),
});
export type RecordRow = z.infer<typeof rowSchema>;

export interface PortfolioRecord {
  readonly head: RecordHead;
  readonly rows: ReadonlyMap<string, RecordRow>;
}

/**
 * Returns null if there is no record, or if it belongs to another list of scripts. Throws STP1501 for a file that is
 * not a record.
 */
export async function readRecord(path: string): Promise<PortfolioRecord | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const [first, ...lines] = text.split('\n').filter((line) => line !== '');
  const head = parse(headSchema.extend({ portfolio: z.number() }), first ?? '', path, 1);
  if (head.portfolio !== PORTFOLIO_VERSION) return null;
  const rows = lines.map((line, index) => parse(rowSchema, line, path, index + 2));
  return { head: headSchema.parse(head), rows: new Map(rows.map((row) => [row.id, row])) };
}

/** Appends rows; writes the head before the first ones. */
export async function keepRows(path: string, head: RecordHead, rows: readonly RecordRow[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await appendFile(path, `${JSON.stringify(head)}\n`, { flag: 'ax' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await appendFile(path, lines);
}

export const rowOf = (id: string, { proof, tried, leanMs }: PortfolioOutcome): RecordRow => ({
  id,
  proof,
  tried,
  leanMs: Math.round(leanMs),
});

function parse<T>(schema: z.ZodType<T>, line: string, path: string, lineNumber: number): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw new StpError(
      'STP1501',
      `${path}:${lineNumber} is not a row of a portfolio's record`,
      'Remove the file; it is made again with `npm run experiment -- portfolio`.',
      { cause, facts: { path } },
    );
  }
}
