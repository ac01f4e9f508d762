/** The context that most activities of a round get. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef } from '@stp/config/records';
import type { PreparedData } from '../run/prepared-data.ts';

export interface RoundContext {
  readonly run: string;
  readonly round: number;
  /** Folder of the round's objects. */
  readonly name: string;
  readonly config: RunConfig;
  readonly data: PreparedData;
  /** Manifests of the rounds before, oldest first. */
  readonly history: readonly ArtifactRef[];
  /** First round whose proofs are replayed. As in STP, a retraining empties the replay window. */
  readonly replayFrom: number;
  /** Theorems that the run has proved and compiled; null if the library is fixed or has not grown yet. */
  readonly library: ArtifactRef | null;
}
