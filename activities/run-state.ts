/** What the run is at any moment, and what its end makes of it: carried by the workflow, read by the report. */
import type { ArtifactRef, CheckpointRef } from '../data/schemas/artifact.ts';
import type { Evaluation, RoundOutcome } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import type { PreparedData } from './datasets.ts';
import type { Trained } from './train.ts';

/** Everything a run carries over a continue-as-new. */
export interface RunState {
  readonly config: RunConfig;
  readonly hostQueue: string;
  readonly data: PreparedData;
  readonly sft: Trained;
  /** The model of the next round. */
  readonly checkpoint: CheckpointRef;
  /** Round 0 is the baseline: the SFT model's own proofs, no conjectures. */
  readonly outcomes: readonly RoundOutcome[];
  /** Rounds that were given up by `skipRound`. */
  readonly skipped: readonly number[];
  readonly nextRound: number;
  readonly secondsPerStage: Readonly<Record<string, number>>;
}

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
