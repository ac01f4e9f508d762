/**
 * Input and result of a prover's turn, which is one pass over a shard: the interface between the loop and every prover.
 */

import type { RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type CheckpointRef, type ShardResult } from '@stp/config/records';
import { z } from 'zod';

/** The samples of a shard, including those of earlier turns. */
export const sampledSchema = z.strictObject({
  samples: artifactRefSchema,
  sampleCount: z.number().int(),
  distinctCount: z.number().int(),
  tokens: z.number().int(),
  /** Number of prompt tokens, if the engine counts them. */
  promptTokens: z.number().int().optional(),
  /** With `keepsAnswers`: the chats so far (`answerRecordSchema`), one record for each new sample. */
  answers: artifactRefSchema.optional(),
});
export type Sampled = z.infer<typeof sampledSchema>;

/** Results of a turn beside its samples. The shard's result contains them. */
export type TurnResults = Pick<ShardResult, 'search' | 'walks' | 'tries' | 'figures'>;

export interface SampleShardInput {
  readonly run: string;
  /** Folder of the shard, `rounds/1-…/shard-0003`. The seeds derive from it too. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** Grown theorems that samples may name; null: none. */
  readonly library: ArtifactRef | null;
  readonly checkpoint: CheckpointRef;
  readonly config: Pick<RunConfig, 'prover' | 'sampling' | 'seed' | 'modelThreads' | 'verification'>;
  /** Whether the model's text is stored beside the proof that was read from it, if the two differ. */
  readonly keepsTexts?: boolean;
  /** Whether the chats are stored, so that a later turn can continue them. */
  readonly keepsAnswers?: boolean;
}

export interface ShardTurn extends SampleShardInput {
  /** Number of the turn, from 0. */
  readonly turn: number;
  /** Missing: the statements do not belong to a round. */
  readonly round?: number;
  /** With `prover.actions`: the ranking from the run's earlier tries (`rankingSchema`); null: there is none. */
  readonly ranking?: ArtifactRef | null;
  /** Answers of the earlier turns, in order. */
  readonly answers: readonly ArtifactRef[];
  /** The shard with the verdicts on the samples of earlier turns; null: this is the first turn. */
  readonly earlier: ShardResult | null;
}

/** Runs one turn on a shard. Returns null if it finds nothing to do. */
export type ProverActivity = (turn: ShardTurn) => Promise<(Sampled & TurnResults) | null>;

/** The shards of a round, as input of the report. */
export interface RoundShards {
  readonly round: number;
  readonly shards: readonly ShardResult[];
}

/** A prover's table in a run's report. */
export type ProverSection = (rounds: readonly RoundShards[]) => {
  readonly caption: string;
  readonly heads: readonly string[];
  /** One row for each round. */
  readonly rows: readonly (readonly (string | number)[])[];
};

/** Sums a figure of the provers (`ShardResult.figures`) over shards. */
export const figureOf = (shards: readonly ShardResult[], name: string): number =>
  shards.reduce((sum, { figures }) => sum + (figures?.[name] ?? 0), 0);
