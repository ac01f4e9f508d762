/**
 * The graph that reads one prompt at once: keys and values of all its positions and the next token's log-probabilities. One
 * prompt a run, so what it gives cannot depend on other prompts; the prompt is padded at its end, which it cannot see.
 */
import { Graph, type Value } from '../onnx/graph.ts';
import { add } from '../onnx/operations/arithmetic.ts';
import { concatenate, gatherRows, reshape, transpose } from '../onnx/operations/layout.ts';
import { matmul } from '../onnx/operations/linear.ts';
import { softmax } from '../onnx/operations/transformer.ts';
import { Decoder, type Projections, type Weights } from './decoder.ts';

/**
 * For prompts padded to `length` tokens. Inputs: `tokens` int64 [length]; `positions` int64 [1, length]; `bias`
 * [length, length] added to the scores (0 to see, very negative not to); `last` int64 [1], the prompt's last position.
 * Outputs: `logProbabilities` [1, vocabularySize]; `fresh` [2 · layers · keyValueHeads, length, headSize]: each
 * layer's keys head by head, then its values.
 */
export function prefillGraph(weights: Weights, length: number): Uint8Array {
  const graph = new Graph('prefill');
  const decoder = new Decoder(graph, weights);
  const { headSize, shape } = decoder;
  const { keyValueHeads } = shape;
  const group = shape.heads / keyValueHeads;
  const tokens = graph.input('tokens', 'int64', [length]);
  const positions = graph.input('positions', 'int64', [1, length]);
  const bias = graph.input('bias', 'float32', [length, length]);
  const last = graph.input('last', 'int64', [1]);
  const fresh: Value[] = [];

  const attend = ({ query, key, value }: Projections): Value => {
    // [length, heads · headSize] to one matrix a key-value head, its queries one group member after another.
    const queries = transpose(reshape(query, [length, keyValueHeads, group, headSize]), [1, 2, 0, 3]);
    const byHead = (own: Value) => transpose(reshape(own, [length, keyValueHeads, headSize]), [1, 0, 2]);
    const [keys, values] = [byHead(key), byHead(value)];
    fresh.push(keys, values);
    const stacked = reshape(queries, [keyValueHeads, group * length, headSize]);
    const scores = matmul(stacked, keys, { transposeRight: true, scale: 1 / Math.sqrt(headSize) });
    const shares = softmax(add(reshape(scores, [keyValueHeads, group, length, length]), bias));
    const seen = matmul(reshape(shares, [keyValueHeads, group * length, length]), values);
    const byToken = transpose(reshape(seen, [keyValueHeads, group, length, headSize]), [2, 0, 1, 3]);
    return reshape(byToken, [length, shape.hiddenSize]);
  };

  const hidden = decoder.hidden({ tokens, positions, attend });
  graph.output('logProbabilities', decoder.logProbabilities(gatherRows(hidden, last)));
  graph.output('fresh', concatenate(fresh, 0));
  return graph.encode();
}
