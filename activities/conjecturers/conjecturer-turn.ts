/** The input of a conjecturer's activities: the interface between the loop and every conjecturer. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef } from '@stp/config/records';

export interface ConjecturerInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  /** Entries of the round's plan, each with the seed or the target that it starts from. */
  readonly plan: ArtifactRef;
  /** Manifests of the rounds before. */
  readonly history: readonly ArtifactRef[];
  readonly config: Pick<RunConfig, 'seed' | 'verification' | 'conjectures' | 'prover'>;
}
