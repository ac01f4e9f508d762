/**
 * The state of a run, and the result of its end. The workflow carries the state and stores it after every round, and
 * the report reads it.
 */

import { runConfigSchema } from '@stp/config';
import {
  type ArtifactRef,
  checkpointRefSchema,
  type Evaluation,
  machineTimeSchema,
  roundEvaluationSchema,
  roundOutcomeSchema,
} from '@stp/config/records';
import { z } from 'zod';
import { trainedSchema } from '../training/training.ts';
import { preparedDataSchema } from './prepared-data.ts';

/** A failed round and its number of attempts: information for people only. */
export const roundFailureSchema = z.strictObject({
  round: z.number().int().nonnegative(),
  message: z.string().max(2_000),
  decision: z.enum(['retry', 'skip', 'abort']),
});

/** Everything that a run carries over a continue-as-new, and that another run needs to start from it. */
export const runStateSchema = z.strictObject({
  config: runConfigSchema,
  /** Host queues of the run's machines. */
  hostQueues: z.array(z.string()).readonly(),
  data: preparedDataSchema,
  sft: trainedSchema,
  /** Model of the next round. */
  checkpoint: checkpointRefSchema,
  /** Round 0 is the baseline: the SFT model's own proofs, no conjectures. */
  outcomes: z.array(roundOutcomeSchema),
  /** Rounds given up by `skipRound`. */
  skipped: z.array(z.number().int()),
  failures: z.array(roundFailureSchema),
  /** Held-out evaluations between rounds, in order. */
  evaluations: z.array(roundEvaluationSchema),
  nextRound: z.number().int().nonnegative(),
  /**
   * First round whose proofs are replayed; a retraining that empties the replay window sets it (docs/algorithm.md,
   * section 9).
   */
  replayFrom: z.number().int().nonnegative(),
  secondsPerStage: z.record(z.string(), z.number()),
  /** Machine time at each moment up to now. State taken over from another run has none. */
  machineTime: z.array(machineTimeSchema),
});
export type RunState = z.infer<typeof runStateSchema>;

export interface SelfplayResult {
  readonly summary: ArtifactRef;
  readonly report: ArtifactRef;
  readonly proofs: ArtifactRef;
}

export interface ReportInput {
  readonly run: string;
  readonly state: RunState;
  readonly evaluation: Evaluation | null;
}
