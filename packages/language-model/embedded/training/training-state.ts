/**
 * The changing state of training: weights and AdamW's moments, each a flat vector of `parameterLayout`; the objective's
 * variables; and the current step.
 */
import { DATA_START, type DataCursor } from './schedule-examples.ts';

export interface TrainingState {
  readonly parameters: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
  /** Variables of the objective, such as log Z of groups; empty for most objectives. */
  readonly variables: Float32Array;
}

/** The progress of a training: everything that its result depends on beside state and request. */
export interface TrainingProgress {
  /** Finished optimizer steps. */
  readonly step: number;
  /** The position of the next step's examples. */
  readonly cursor: DataCursor;
  /** Number of trained tokens, without padding. */
  readonly tokens: number;
  /** Time spent in steps. */
  readonly seconds: number;
  /** Over the last steps, which the final loss averages: the sum of loss × weight, and the sum of weights. */
  readonly finalLossSum: number;
  readonly finalWeight: number;
}

export const TRAINING_START: TrainingProgress = {
  step: 0,
  cursor: DATA_START,
  tokens: 0,
  seconds: 0,
  finalLossSum: 0,
  finalWeight: 0,
};

/** Returns the state before the first step. It takes ownership of the parameters. */
export function freshState(parameters: Float32Array, variables = 0): TrainingState {
  return {
    parameters,
    firstMoment: new Float32Array(parameters.length),
    secondMoment: new Float32Array(parameters.length),
    variables: new Float32Array(variables),
  };
}
