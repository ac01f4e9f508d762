/**
 * Fused operators of ONNX Runtime for decoding: a step is short, and each node has a fixed cost.
 */
import type { Value } from '../onnx/graph.ts';
import { MICROSOFT_DOMAIN } from '../onnx/proto.ts';
import { graphError, sameShape, shapeText } from '../onnx/shape.ts';

/** Returns the sum of two tensors [rows, size], and its RMS normalisation with a gain [size]. */
export function addAndNorm(
  left: Value,
  right: Value,
  gain: Value,
  epsilon: number,
): readonly [sum: Value, norm: Value] {
  if (!sameShape(left.shape, right.shape) || !sameShape(gain.shape, left.shape.slice(-1)))
    throw graphError(`normalised sum of ${shapeText(left.shape)} and ${shapeText(right.shape)}`);
  const like = { type: left.type, shape: left.shape };
  const perRow = { type: left.type, shape: left.shape.with(-1, 1) };
  const [norm, , , sum] = left.graph.node({
    operator: 'SkipSimplifiedLayerNormalization',
    domain: MICROSOFT_DOMAIN,
    inputs: [left, right, gain],
    // The second and third outputs, the mean and the inverse deviation, are not used.
    outputs: [like, perRow, perRow, like],
    attributes: { epsilon: { float: epsilon } },
  });
  return [sum!, norm!];
}

/** Splits a tensor along its last axis into parts of these lengths. */
export function split(value: Value, lengths: readonly number[]): readonly Value[] {
  if (lengths.reduce((sum, length) => sum + length, 0) !== value.shape.at(-1))
    throw graphError(`split of ${shapeText(value.shape)} into ${lengths.join(' + ')}`);
  return value.graph.node({
    operator: 'Split',
    inputs: [value, value.graph.integers(lengths)],
    outputs: lengths.map((length) => ({ type: value.type, shape: value.shape.with(-1, length) })),
    attributes: { axis: { int: -1 } },
  });
}
