/**
 * Reads the theorems of a LeanDojo Benchmark 4 folder: the file and lines of each, and the names in its tactics. Each
 * split file is one JSON array of hundreds of megabytes and is streamed; only the needed fields of a theorem are kept.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { StpError } from '../../../data/errors.ts';
import { readJsonArray } from '../../../data/loaders/json-array.ts';

/** Longest theorem with all its traced tactics and proof states. Some Mathlib proofs have megabytes of states. */
const ENTRY_BYTES_MAX = 64 << 20;
/** Mathlib of 2024 has 120,000. */
const ENTRIES_MAX = 2_000_000;
const PARTS = ['train', 'val', 'test'] as const;

export const LEANDOJO_SPLITS = ['random', 'novel_premises'] as const;
export type LeanDojoSplit = (typeof LEANDOJO_SPLITS)[number];

/** Line and column, from 1. */
const position = z.tuple([z.number().int().positive(), z.number().int().nonnegative()]);
const annotation = z.looseObject({ full_name: z.string().max(1_024) });
/** Keys we do not use (`url`, `commit`, states …) are left. */
const entrySchema = z.looseObject({
  file_path: z.string().min(1).max(1_024),
  full_name: z.string().min(1).max(256),
  start: position,
  end: position,
  traced_tactics: z.array(z.looseObject({ annotated_tactic: z.tuple([z.string(), z.array(annotation)]) })),
});

export interface TracedTheorem {
  readonly name: string;
  /** In the repository that was traced. */
  readonly file: string;
  /** First and last line, from 1, both included. */
  readonly startLine: number;
  readonly endLine: number;
  /** Full names in its tactics, each once, in order; not all are theorems. */
  readonly names: readonly string[];
}

/**
 * Theorems of all three parts of a split with at least one traced tactic (STP §1.3, step 1), as they come. STP1501 with
 * file, line and row for an entry that is none, STP1405 for a missing file.
 */
export async function* readTracedTheorems(folder: string, split: LeanDojoSplit): AsyncGenerator<TracedTheorem> {
  let entries = 0;
  for (const part of PARTS) {
    const path = join(folder, split, `${part}.json`);
    for await (const { row, line, text } of readJsonArray(path, ENTRY_BYTES_MAX)) {
      const where = `${path}:${line} row ${row}`;
      if (++entries > ENTRIES_MAX) throw invalid(where, `more than ${ENTRIES_MAX} theorems`);
      const parsed = entrySchema.safeParse(json(text, where));
      if (!parsed.success) {
        const issue = parsed.error.issues[0]!;
        throw invalid(where, `${issue.path.join('.') || 'entry'}: ${issue.message}`);
      }
      const { file_path, full_name, start, end, traced_tactics } = parsed.data;
      if (traced_tactics.length === 0) continue;
      const names = new Set(
        traced_tactics.flatMap(({ annotated_tactic: [, found] }) => found.map((one) => one.full_name)),
      );
      yield { name: full_name, file: file_path, startLine: start[0], endLine: end[0], names: [...names] };
    }
  }
}

function json(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(where, `not JSON (${(cause as Error).message})`);
  }
}

function invalid(where: string, problem: string): StpError {
  return new StpError('STP1501', `${where}: ${problem}`, 'Is this LeanDojo Benchmark 4, whole and unchanged?', {
    facts: { where },
  });
}
