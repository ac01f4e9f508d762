/**
 * The graph of one decoding step: one new token in each of a fixed number of rows, against keys and values of the tokens
 * before it. The cache is time-major, [past, rows, keyValueHeads, headSize], so that any number of past positions is the
 * head of one buffer; FusedMatMul reads that layout without a transpose. New keys and values are outputs, never the cache.
 */
import type { Value } from '../onnx/graph.ts';
import { Graph } from '../onnx/graph.ts';
import { add, multiply } from '../onnx/operations/arithmetic.ts';
import { concatenate, reshape, slice } from '../onnx/operations/layout.ts';
import { matmul } from '../onnx/operations/linear.ts';
import { softmax } from '../onnx/operations/transformer.ts';
import { MICROSOFT_DOMAIN } from '../onnx/proto.ts';
import type { Shape } from '../onnx/shape.ts';
import { Decoder, type Projections, type Weights } from './decoder.ts';

const PAST = 'past';

export const keyCacheName = (layer: number): string => `keys.${layer}`;
export const valueCacheName = (layer: number): string => `values.${layer}`;

/**
 * Inputs: `tokens` int64 [rows]; `positions` int64 [rows, 1]; `bias` [rows, 1, 1, 1 + past], added to the scores: the new
 * token first, then the cache (0 to see, very negative not to); `keys.l`, `values.l`.
 * Outputs: `logProbabilities` [rows, vocabularySize]; `fresh` [2 · layers · rows, keyValueHeads · headSize]: each layer's keys, then
 * its values.
 */
export function decodeGraph(weights: Weights, rows: number): Uint8Array {
  const graph = new Graph('decode');
  const decoder = new Decoder(graph, weights);
  const { headSize, shape } = decoder;
  const { keyValueHeads } = shape;
  const ownGroup = shape.heads / keyValueHeads;
  // A product with one row takes another kernel, whose sums depend on how much past there is: give it a second row.
  const group = Math.max(ownGroup, 2);
  const tokens = graph.input('tokens', 'int64', [rows]);
  const positions = graph.input('positions', 'int64', [rows, 1]);
  const bias = graph.input('bias', 'float32', [rows, 1, 1, 'span']);
  const fresh: Value[] = [];

  const attend = ({ layer, query, key, value }: Projections): Value => {
    const cacheShape = [PAST, rows, keyValueHeads, headSize];
    const keys = graph.input(keyCacheName(layer), 'float32', cacheShape);
    const values = graph.input(valueCacheName(layer), 'float32', cacheShape);
    fresh.push(key, value);
    const own = reshape(query, [rows, keyValueHeads, ownGroup, headSize]);
    const heads = ownGroup === group ? own : concatenate([own, own], 2);
    const ownKey = reshape(key, [rows, keyValueHeads, 1, headSize]);
    const ownValue = reshape(value, [rows, keyValueHeads, 1, headSize]);
    const scale = 1 / Math.sqrt(headSize);
    const ownScore = matmul(heads, ownKey, { transposeRight: true, scale });
    const pastScores = cacheProduct(heads, keys, { transposed: true, scale }, [rows, keyValueHeads, group, PAST]);
    const span = [rows, keyValueHeads, group, 'span'];
    const attributes = { axis: { int: 3 } };
    const scores = graph.operation({ operator: 'Concat', inputs: [ownScore, pastScores], attributes }, 'float32', span);
    const shares = softmax(add(scores, bias));
    const ownShare = sliceSpan(shares, 0, 1, [rows, keyValueHeads, group, 1]);
    const past = sliceSpan(shares, 1, Number.MAX_SAFE_INTEGER, [rows, keyValueHeads, group, PAST]);
    const seen = cacheProduct(past, values, { transposed: false, scale: 1 }, [rows, keyValueHeads, group, headSize]);
    const attended = add(seen, multiply(ownShare, ownValue));
    const asked = ownGroup === group ? attended : slice(attended, 2, 0, ownGroup);
    return reshape(asked, [rows, shape.hiddenSize]);
  };

  const hidden = decoder.hidden({ tokens, positions, attend });
  graph.output('logProbabilities', decoder.logProbabilities(hidden));
  graph.output('fresh', concatenate(fresh, 0));
  return graph.encode();
}

/** Product of [rows, heads, group, ·] with a time-major cache, per row and key-value head. */
function cacheProduct(left: Value, cache: Value, options: { transposed: boolean; scale: number }, shape: Shape): Value {
  const attributes = {
    alpha: { float: options.scale },
    transB: { int: options.transposed ? 1 : 0 },
    transBatchB: { int: 1 },
  };
  return left.graph.operation(
    { operator: 'FusedMatMul', domain: MICROSOFT_DOMAIN, inputs: [left, cache], attributes },
    'float32',
    shape,
  );
}

function sliceSpan(value: Value, start: number, end: number, shape: Shape): Value {
  const { graph } = value;
  const inputs = [value, graph.integers([start]), graph.integers([end]), graph.integers([3])];
  return graph.operation({ operator: 'Slice', inputs }, 'float32', shape);
}
