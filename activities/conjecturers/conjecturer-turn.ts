/** What a conjecturer's activities are told: the interface between the loop and every conjecturer. */

import type { RunConfig } from '@stp/config';
import type { ArtifactRef } from '@stp/config/records';

export interface ConjecturerInput {
  readonly run: string;
  /** Folder of the round's objects. */
  readonly name: string;
  /** Places for conjectures, each with the seed or the target that it starts from. */
  readonly plan: ArtifactRef;
  /** Manifests of the rounds before. */
  readonly history: readonly ArtifactRef[];
  readonly config: Pick<RunConfig, 'seed' | 'verification' | 'conjectures' | 'prover'>;
}

/** The plan that is made ready for the model. */
export interface ReadyPlan {
  readonly plan: ArtifactRef;
}

/** What the model wrote for a plan, where a model writes. */
export interface Written<Plan extends ReadyPlan = ReadyPlan> {
  readonly typed: Plan;
  readonly texts: ArtifactRef;
}

export type BeforeActivity = (input: ConjecturerInput) => Promise<ReadyPlan>;
export type AfterActivity = (input: ConjecturerInput & Partial<Written>) => Promise<ArtifactRef>;
