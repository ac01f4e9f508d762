/** The origin of a set of compiled theorems (`set.json` in its folder): the Lean with which it was made. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { z } from 'zod';

export const ORIGIN_FILE = 'set.json';
/** Library theorems that proofs of the set may use, in the form of LeanDojo's corpus. */
export const CORPUS_FILE = 'corpus.jsonl';
/** A set of all of Mathlib names some hundred thousand theorems. */
const text = z.string().min(1).max(1_024);

const originSchema = z.object({
  form: z.literal(1),
  /** The version of the Lean that stated and compared its theorems. */
  lean: text,
  /** Hash of the project's compiled modules; null for Lean's own library. */
  project: text.nullable(),
  split: z.enum(['random', 'modules', 'novel-premises']),
});
export type SetOrigin = z.infer<typeof originSchema>;

/** Returns null for a set without this file. Throws STP1501 for a malformed file. */
export async function readSetOrigin(folder: string): Promise<SetOrigin | null> {
  const path = join(folder, ORIGIN_FILE);
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (content === null) return null;
  try {
    return originSchema.parse(JSON.parse(content));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? describeIssues(cause) : (cause as Error).message;
    throw new StpError('STP1501', `${path}: ${why}`, 'Make the set again with `bin/stp data prepare`.', { cause });
  }
}

/** Throws STP1201 if the Lean in use is not the one that made the set: statements may mean something else there. */
export function requireSameLean(
  set: string,
  origin: SetOrigin,
  used: { readonly version: string; readonly project?: string | undefined },
): void {
  const remake = 'Make the set again with `bin/stp data prepare --replace`, or use the Lean it was made with.';
  if (origin.lean !== used.version)
    throw new StpError('STP1201', `${set} was made with ${origin.lean}, the Lean in use is ${used.version}`, remake);
  if (origin.project !== (used.project ?? null))
    throw new StpError(
      'STP1201',
      `${set} was made of ${origin.project === null ? 'no project' : 'a project'} that is not the one in use, or was built anew`,
      remake,
    );
}
