/**
 * The file of traced proofs (`data/sft/steps.jsonl`): a first line that names the Lean used for tracing, then one row
 * per proof.
 */
import { readFile } from 'node:fs/promises';
import { StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import { proofStepSchema } from '@stp/config/records';
import { z } from 'zod';

export const tracedHeadSchema = z.strictObject({ leanVersion: z.string(), fingerprint: z.string() });

export const tracedProofSchema = z.strictObject({
  theorem: z.string().max(256),
  /** `tracedProofId` of the proof. */
  proof: z.string(),
  /**
   * Empty if the proof could not be split into steps. `before` and `after` are the complete states, kept for theorems'
   * own proofs.
   */
  steps: z.array(proofStepSchema.extend({ before: z.string().optional(), after: z.string().optional() })),
});
export type TracedProof = z.infer<typeof tracedProofSchema>;

export function tracedProofId(theorem: { readonly header: string; readonly statement: string }, proof: string): string {
  return contentId('traced', theorem.header, theorem.statement, proof);
}

/** Returns null if there is no file. Throws STP1501 with the line number for an invalid row. */
export async function readTraced(
  path: string,
): Promise<{ head: z.infer<typeof tracedHeadSchema>; rows: TracedProof[] } | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  const read = <T>(schema: z.ZodType<T>, line: string, number: number): T => {
    try {
      return schema.parse(JSON.parse(line));
    } catch (cause) {
      const advice = 'Make the file again: node packages/lean-explore/library/trace-main.ts.';
      throw new StpError('STP1501', `${path}:${number} is not a row of traced proofs`, advice, { cause });
    }
  };
  const [head, ...rows] = text.split('\n').filter((line) => line !== '');
  return {
    head: read(tracedHeadSchema, head ?? '', 1),
    rows: rows.map((line, index) => read(tracedProofSchema, line, index + 2)),
  };
}
