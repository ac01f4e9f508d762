/**
 * Losses that a graph computes: functions from the decoder's outputs to a scalar. A loss names the numbers that it
 * needs for each scored token. Packing, gradients, the optimizer and the loop are shared.
 */
import type { Value } from '../onnx/graph.ts';
import { multiply, negate, reduceSum } from '../onnx/operations/arithmetic.ts';
import { gatherAlongLastAxis, reshape } from '../onnx/operations/layout.ts';
import { logSoftmax } from '../onnx/operations/transformer.ts';
import type { DecoderOutputs } from './trained-decoder.ts';

export interface GraphLoss {
  /** Names of its inputs, float32 [targets], found in `PackedBatch.targetValues`. */
  readonly targetValues: readonly string[];
  /**
   * Adds the loss of a micro-batch to the decoder's graph. `labels` are the scored tokens, int64 [targets]. A step's
   * loss is the sum over its micro-batches, so a caller that wants a mean scales the weights.
   */
  readonly loss: (outputs: DecoderOutputs, labels: Value, values: ReadonlyMap<string, Value>) => Value;
}

/** Returns the log-probability of each scored token, float32 [targets]. */
export function labelLogProbabilities(logits: Value, labels: Value): Value {
  const [targets] = labels.shape;
  return reshape(gatherAlongLastAxis(logSoftmax(logits), reshape(labels, [targets!, 1])), [targets!]);
}

/**
 * Weighted negative log-likelihood: Σ weight · -log p(label), nats. The weights are the negative slopes of an objective
 * (`objectives/objective.ts`), so its gradient is the objective's.
 */
export const weightedLikelihood: GraphLoss = {
  targetValues: ['weights'],
  loss: ({ logits }, labels, values) =>
    negate(reduceSum(multiply(labelLogProbabilities(logits(), labels), values.get('weights')!), [0], false)),
};
