/**
 * Reads a LeanDojo Benchmark 4 folder as a stream: the premises of `corpus.jsonl`, and the theorems of a split. A split
 * file is one JSON array of hundreds of megabytes; only one row is in memory at a time.
 */
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { fileChunks, linesOf, readJsonArray } from '@stp/base/files';
import type { z } from 'zod';
import { type CorpusFile, corpusFileSchema, type TheoremRow, theoremRowSchema } from './rows.ts';

/** Maximum size of a theorem with all its traced tactics and states. Some Mathlib proofs have megabytes of states. */
const ENTRY_BYTES_MAX = 64 << 20;
/** Mathlib has 120,000 (2024). */
const ENTRIES_MAX = 2_000_000;
/** Maximum size of a file with its premises. Mathlib's longest has under 1 MB. */
const CORPUS_LINE_BYTES_MAX = 64 << 20;
export const LEANDOJO_PARTS = ['train', 'val', 'test'] as const;
export type LeanDojoPart = (typeof LEANDOJO_PARTS)[number];

export const LEANDOJO_SPLITS = ['random', 'novel_premises'] as const;
export type LeanDojoSplit = (typeof LEANDOJO_SPLITS)[number];

export interface TracedTheorem {
  readonly name: string;
  /** Path in the traced repository. */
  readonly file: string;
  /** First and last line, 1-based and inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** Distinct full names in its tactics, in order. Not all are theorems. */
  readonly names: readonly string[];
}

/** A row with its location in the files, for messages. */
export interface Located<T> {
  readonly row: T;
  /** `FILE:LINE` or `FILE:LINE row ROW`. */
  readonly where: string;
}

/**
 * Yields the files of `corpus.jsonl` with their premises. Throws STP1501 with file and line for an invalid line, or
 * STP1405.
 */
export async function* readCorpus(path: string): AsyncGenerator<Located<CorpusFile>> {
  for await (const { line, text } of linesOf(fileChunks(path), path, CORPUS_LINE_BYTES_MAX)) {
    const where = `${path}:${line}`;
    yield { row: checked(corpusFileSchema, text, where), where };
  }
}

/**
 * Yields the theorems of a split file. Throws STP1501 with file, line and row for an invalid entry, STP1405 for a
 * missing file.
 */
export async function* readTheoremRows(path: string): AsyncGenerator<Located<TheoremRow>> {
  let entries = 0;
  for await (const { row, line, text } of readJsonArray(path, ENTRY_BYTES_MAX)) {
    const where = `${path}:${line} row ${row}`;
    if (++entries > ENTRIES_MAX) throw invalid(where, `more than ${ENTRIES_MAX} theorems`);
    yield { row: checked(theoremRowSchema, text, where), where };
  }
}

/**
 * Yields the theorems of all three parts of a split that have a traced tactic (docs/algorithm.md, section 12). Throws
 * as `readTheoremRows`.
 */
export async function* readTracedTheorems(folder: string, split: LeanDojoSplit): AsyncGenerator<TracedTheorem> {
  for (const part of LEANDOJO_PARTS)
    for await (const { row } of readTheoremRows(join(folder, split, `${part}.json`))) {
      if (row.traced_tactics.length === 0) continue;
      const names = new Set(
        row.traced_tactics.flatMap(({ annotated_tactic: [, found] }) => found.map((one) => one.full_name)),
      );
      yield {
        name: row.full_name,
        file: row.file_path,
        startLine: row.start[0],
        endLine: row.end[0],
        names: [...names],
      };
    }
}

function checked<T>(schema: z.ZodType<T>, text: string, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(where, `not JSON (${(cause as Error).message})`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw invalid(where, `${issue.path.join('.') || 'entry'}: ${issue.message}`);
}

function invalid(where: string, problem: string): StpError {
  return new StpError('STP1501', `${where}: ${problem}`, 'Is this LeanDojo Benchmark 4, whole and unchanged?', {
    facts: { where },
  });
}
