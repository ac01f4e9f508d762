/** What a certification came to, and several of them as one. */

import { artifactRefSchema, type ObjectStore, type Proved, provedSchema } from '@stp/config/records';
import { z } from 'zod';
import { readRecords, writeRecords } from '../records/record-files.ts';

export const certifiedSchema = z.strictObject({
  proved: artifactRefSchema,
  certified: z.number().int(),
  refused: z.number().int(),
  /** Of those refused, the proofs that Lean's kernel takes and the second one does not. */
  disagreements: z.number().int(),
});
export type Certified = z.infer<typeof certifiedSchema>;

/** Parts as one, in order: what holds in a file of its own under `name`, the counts summed. */
export async function joinCertified(
  store: ObjectStore,
  name: string,
  parts: readonly Certified[],
  signal: AbortSignal,
): Promise<Certified> {
  async function* all(): AsyncGenerator<Proved> {
    for (const part of parts) yield* readRecords(store, part.proved, provedSchema);
  }
  return {
    proved: await writeRecords(store, `${name}/proved-*.jsonl`, all(), signal),
    certified: sum(parts, 'certified'),
    refused: sum(parts, 'refused'),
    disagreements: sum(parts, 'disagreements'),
  };
}

/** Of the parts so far; with several lanes a later one may be there before an earlier one. */
export const sum = (parts: readonly Certified[], what: 'certified' | 'refused' | 'disagreements'): number =>
  parts.reduce((total, part) => total + (part[what] ?? 0), 0);
