/** What training makes small: functions from logits to a scalar loss in the graph. */
import type { Graph, Value } from '../onnx/graph.ts';
import { multiply, negate, reduceSum } from '../onnx/operations/arithmetic.ts';
import { gatherAlongLastAxis, reshape } from '../onnx/operations/layout.ts';
import { logSoftmax } from '../onnx/operations/transformer.ts';
import { TARGETS } from './decoder.ts';

/** Adds the inputs it needs to the graph; logits are float32 [targets, vocabularySize]. */
export type Objective = (graph: Graph, logits: Value) => Value;

/**
 * Weighted negative log-likelihood: Σ weight · -log p(label), nats. The caller divides the weights by their sum over the
 * whole step, which makes it STP's mean over weighted target tokens whatever micro-batch a token is in.
 */
export const weightedLikelihood: Objective = (graph, logits) => {
  const labels = graph.input('labels', 'int64', [TARGETS]);
  const weights = graph.input('weights', 'float32', [TARGETS]);
  const logLikelihoods = gatherAlongLastAxis(logSoftmax(logits), reshape(labels, [TARGETS, 1]));
  return negate(reduceSum(multiply(reshape(logLikelihoods, [TARGETS]), weights), [0], false));
};
