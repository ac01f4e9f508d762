/**
 * The file of explored equations (`data/sft/equations.jsonl`): a first line that names the Lean used, then one row per
 * set of functions.
 */
import { readFile } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { equationWordsSchema, termSignatureSchema } from '@stp/config/words';
import { z } from 'zod';

export const libraryEquationsSchema = z.strictObject({
  /** Full names of the library theorems near these functions. */
  theorems: z.array(z.string().max(256)).min(1),
  signature: termSignatureSchema,
  /** Equations that hold on test values and that no cheap tactic proves. */
  equations: z.array(z.strictObject({ text: z.string().max(2_000), words: equationWordsSchema })).min(1),
});
export type LibraryEquations = z.infer<typeof libraryEquationsSchema>;

/** Returns an empty list if there is no file. Throws STP1501 with the line number for an invalid row. */
export async function readEquations(path: string): Promise<LibraryEquations[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.slice(1).map((line, index) => {
    try {
      return libraryEquationsSchema.parse(JSON.parse(line));
    } catch (cause) {
      const advice = 'Make the file again: node packages/lean-explore/explore/library-main.ts.';
      throw new StpError('STP1501', `${path}:${index + 2} is not a row of explored equations`, advice, { cause });
    }
  });
}
