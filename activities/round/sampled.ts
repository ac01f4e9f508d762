/** The samples of a shard, and what their sampling is told. */

import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef } from '@stp/config/records';
import { z } from 'zod';

export const sampledSchema = z.strictObject({
  samples: artifactRefSchema,
  sampleCount: z.number().int(),
  distinctCount: z.number().int(),
  tokens: z.number().int(),
  /** Of the prompts, where the engine counts them. */
  promptTokens: z.number().int().optional(),
  /** With `prover.mode` `revise`: the chats so far (`answerRecordSchema`), a record for each new sample. */
  answers: artifactRefSchema.optional(),
});
export type Sampled = z.infer<typeof sampledSchema>;

export interface SampleShardInput {
  readonly run: string;
  /** Folder of the shard, `rounds/1-…/shard-0003`: it names the seeds too. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** Grown theorems, which samples may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'seed' | 'modelThreads' | 'verification'>;
  /** What the model wrote is kept beside the proof that was read from it, where the two differ. */
  readonly keepsTexts?: boolean;
}
