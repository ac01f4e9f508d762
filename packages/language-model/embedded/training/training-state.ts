/**
 * The changing state of training: weights and AdamW's moments, each one flat vector of `parameterLayout`; the objective's own
 * variables; and the current step.
 */
import { DATA_START, type DataCursor } from './schedule-examples.ts';

export interface TrainingState {
  readonly parameters: Float32Array;
  readonly firstMoment: Float32Array;
  readonly secondMoment: Float32Array;
  /** Variables of the objective, such as log Z of groups; most have none. */
  readonly variables: Float32Array;
}

/** Where a training is after some steps, all that its end depends on beside the state and the request. */
export interface TrainingPlace {
  /** Optimizer steps done. */
  readonly step: number;
  /** Where the next step's examples start. */
  readonly cursor: DataCursor;
  /** Tokens trained on, padding not counted. */
  readonly tokens: number;
  /** Time in steps. */
  readonly seconds: number;
  /** Over the steps that the final loss is averaged over: loss times weight, and weight. */
  readonly finalLossSum: number;
  readonly finalWeight: number;
}

export const TRAINING_START: TrainingPlace = {
  step: 0,
  cursor: DATA_START,
  tokens: 0,
  seconds: 0,
  finalLossSum: 0,
  finalWeight: 0,
};

/** The state before the first step. Takes the parameters over. */
export function freshState(parameters: Float32Array, variables = 0): TrainingState {
  return {
    parameters,
    firstMoment: new Float32Array(parameters.length),
    secondMoment: new Float32Array(parameters.length),
    variables: new Float32Array(variables),
  };
}
