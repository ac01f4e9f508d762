/** The requests to a training process, and its answers. */
import type { KeptState, TrainProgress, TrainRequest, TrainResult } from '../../trainer.ts';

export interface TrainingRequest {
  readonly type: 'train';
  readonly request: TrainRequest;
  readonly threads: number;
  /** As in `TrainInProcessOptions`; undefined for its default. */
  readonly keepStateMs: number | undefined;
}

export type TrainingMessage =
  | { readonly type: 'progress'; readonly progress: TrainProgress }
  | { readonly type: 'kept'; readonly state: KeptState }
  | { readonly type: 'trained'; readonly result: TrainResult };
