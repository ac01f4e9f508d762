/** The interface between the loop and every objective that trains by reward: rewarded rounds in, training records out. */

import type { ObjectiveOf, Prompts, RewardObjective } from '@stp/config';
import type { ArtifactRef, ObjectStore, RoundCounts, RoundManifest, ShardResult } from '@stp/config/records';
import type { LemmaSources, RunTheorem } from '../lemma-shelf.ts';

export interface PolicyRound {
  readonly shards: readonly ShardResult[];
  readonly rewards: ArtifactRef;
}

export interface GroupCounts {
  compared: number;
  withSignal: number;
  samplesWithoutReward: number;
}

/** Returns the rounds of the window that have rewards. */
export const rewardedRounds = (window: readonly RoundManifest[]): PolicyRound[] =>
  window.flatMap(({ shards, rewards }) => (rewards === undefined ? [] : [{ shards, rewards }]));

export interface RewardedRounds {
  readonly store: ObjectStore;
  readonly sources: LemmaSources;
  readonly prover: Prompts;
  /** Theorems that the run has proved; prompts may show them. */
  readonly grown: readonly RunTheorem[];
  readonly seed: number;
  readonly round: number;
  /** The present round and those of the window, newest first. */
  readonly rounds: readonly PolicyRound[];
  /** Local folder for sorting. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

/**
 * Yields every sample, or walk, with its reward, as a record of the objective's loss. It must be read once and to the
 * end; then `counts` is complete.
 */
export type ObjectiveExamples<Kind extends RewardObjective['kind']> = (
  objective: ObjectiveOf<Kind>,
  rounds: RewardedRounds,
) => Promise<{ readonly examples: AsyncGenerator<unknown>; readonly counts: GroupCounts }>;

/** An objective's table in the report, with one row for each round. */
export type ObjectiveSection = (rounds: readonly { readonly round: number; readonly counts: RoundCounts }[]) => {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
};
