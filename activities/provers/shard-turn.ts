/** Input and result of a prover's turn: the interface between the loop and every prover. */

import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef, type ShardResult } from '@stp/config/records';
import { z } from 'zod';

/** The samples of a shard, those of earlier turns included. */
export const sampledSchema = z.strictObject({
  samples: artifactRefSchema,
  sampleCount: z.number().int(),
  distinctCount: z.number().int(),
  tokens: z.number().int(),
  /** Tokens of the prompts, if the engine counts them. */
  promptTokens: z.number().int().optional(),
  /** With `keepsAnswers`: the chats so far (`answerRecordSchema`), a record for each new sample. */
  answers: artifactRefSchema.optional(),
});
export type Sampled = z.infer<typeof sampledSchema>;

/** Results of a turn beside its samples. The shard's result keeps them. */
export type TurnResults = Pick<ShardResult, 'search' | 'walks' | 'tries' | 'figures'>;

export interface SampleShardInput {
  readonly run: string;
  /** Folder of the shard, `rounds/1-…/shard-0003`: it names the seeds too. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** Grown theorems, which samples may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'seed' | 'modelThreads' | 'verification'>;
  /** Whether the model's text is kept beside the proof that was read from it, if the two differ. */
  readonly keepsTexts?: boolean;
  /** The chats are kept, so that a later turn can go on with them. */
  readonly keepsAnswers?: boolean;
}

export interface ShardTurn extends SampleShardInput {
  /** Number of the turn, from 0. */
  readonly turn: number;
  /** Missing: the statements are none of a round's. */
  readonly round?: number;
  /** With `prover.actions`: what the run's tries so far say (`rankingSchema`); null: there are none. */
  readonly ranking?: ArtifactRef | null;
  /** Answers of the turns before, the first answers' first. */
  readonly answers: readonly ArtifactRef[];
  /** The shard with the verdicts on the samples of the turns before; null: there was none. */
  readonly earlier: ShardResult | null;
}

/** One turn at a shard. Null where it finds nothing to do. */
export type ProverActivity = (turn: ShardTurn) => Promise<(Sampled & TurnResults) | null>;

/** The shards of a round, as a report reads them. */
export interface RoundShards {
  readonly round: number;
  readonly shards: readonly ShardResult[];
}

/** A prover's own table in a run's report. */
export type ProverSection = (rounds: readonly RoundShards[]) => {
  readonly caption: string;
  readonly heads: readonly string[];
  /** One a round. */
  readonly rows: readonly (readonly (string | number)[])[];
};

/** A figure of the provers (`ShardResult.figures`), added up over shards. */
export const figureOf = (shards: readonly ShardResult[], name: string): number =>
  shards.reduce((sum, { figures }) => sum + (figures?.[name] ?? 0), 0);
