/** The operators of a decoder: softmax, RMS normalisation, rotary position embedding. All operate on the last axis. */
import type { Value } from '../graph.ts';
import { MICROSOFT_DOMAIN } from '../proto.ts';
import { graphError, sameShape, shapeText } from '../shape.ts';

export function softmax(value: Value): Value {
  const attributes = { axis: { int: -1 } };
  return value.graph.operation({ operator: 'Softmax', inputs: [value], attributes }, value.type, value.shape);
}

export function logSoftmax(value: Value): Value {
  const attributes = { axis: { int: -1 } };
  return value.graph.operation({ operator: 'LogSoftmax', inputs: [value], attributes }, value.type, value.shape);
}

/** gain · x / sqrt(mean(x²) + epsilon). */
export function rmsNorm(value: Value, gain: Value, epsilon: number): Value {
  if (!sameShape(gain.shape, value.shape.slice(-1)))
    throw graphError(`RMS normalisation of ${shapeText(value.shape)} with a gain of shape ${shapeText(gain.shape)}`);
  const [normal] = value.graph.node({
    operator: 'SimplifiedLayerNormalization',
    inputs: [value, gain],
    // The gradient needs the second output, the inverse root mean square of each row.
    outputs: [
      { type: value.type, shape: value.shape },
      { type: value.type, shape: value.shape.with(-1, 1) },
    ],
    attributes: { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } },
  });
  return normal!;
}

/**
 * Rotary position embedding in the half-split convention (element i pairs with i + headSize/2).
 * value: [rows, length, heads·headSize] · positions: int64 [rows, length] · cosines, sines: [positions, headSize/2].
 */
export function rotary(value: Value, positions: Value, cosines: Value, sines: Value): Value {
  if (value.shape.length !== 3 || !sameShape(positions.shape, value.shape.slice(0, 2)))
    throw graphError(`rotary embedding of ${shapeText(value.shape)} at positions ${shapeText(positions.shape)}`);
  if (cosines.shape.length !== 2 || !sameShape(cosines.shape, sines.shape))
    throw graphError(`rotary tables of shapes ${shapeText(cosines.shape)} and ${shapeText(sines.shape)}`);
  const request = { operator: 'RotaryEmbedding', domain: MICROSOFT_DOMAIN, attributes: { interleaved: { int: 0 } } };
  const inputs = [value, positions, cosines, sines];
  return value.graph.operation({ ...request, inputs }, value.type, value.shape);
}
