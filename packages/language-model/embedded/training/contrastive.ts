/**
 * Contrastive training of the decoder as a text encoder: a query moves towards its match and away from the matches of
 * the other queries in its batch (InfoNCE, arXiv 1807.03748; in-batch negatives, arXiv 2306.15626, §5). The embedding
 * is that of `Generator.embed`: the mean of the last hidden layer over the text's tokens, scaled to length 1.
 */
import type { ModelShape } from '../../trainer.ts';
import { multiply, negate, reduceSum } from '../onnx/operations/arithmetic.ts';
import { equal, where } from '../onnx/operations/compare.ts';
import { reshape, slice } from '../onnx/operations/layout.ts';
import { matmul } from '../onnx/operations/linear.ts';
import { logSoftmax, rmsNorm } from '../onnx/operations/transformer.ts';
import type { GraphLoss } from './graph-loss.ts';
import type { PackedBatch } from './packed-batch.ts';

/** Temperature: divides cosines before the softmax. */
const TEMPERATURE = 0.05;
/** Added to the mean square of an embedding, which is near 1 after the final norm. */
const EPSILON = 1e-8;

/** Tokens of a query and of its match. */
export interface TextPair {
  readonly query: readonly number[];
  readonly match: readonly number[];
}

/**
 * Returns the mean over the pairs of -log p(match | all matches of the batch). `labels` are indices of texts: queries
 * first, then matches in the same order. `weights` of a token is 1 / the length of its text.
 *
 * @param pairs number of pairs in every batch
 */
export function contrastive({ hiddenSize }: ModelShape, pairs: number): GraphLoss {
  return {
    targetValues: ['weights'],
    loss: ({ states }, labels, values) => {
      const { graph } = states;
      const numbers = (count: number) => graph.integers(Array.from({ length: count }, (_, index) => index));
      const [one, zero] = [graph.scalar(1), graph.scalar(0)];
      const [targets] = labels.shape;
      const isOf = equal(reshape(labels, [targets!, 1]), numbers(2 * pairs));
      const shares = multiply(where(isOf, one, zero), reshape(values.get('weights')!, [targets!, 1]));
      const means = matmul(shares, states, { transposeLeft: true });
      // The vector gets length √hiddenSize; the scale of the scores compensates for it.
      const gain = graph.initializer('contrastive_gain', [hiddenSize], new Float32Array(hiddenSize).fill(1));
      const vectors = rmsNorm(means, gain, EPSILON);
      const [queries, matches] = [slice(vectors, 0, 0, pairs), slice(vectors, 0, pairs, 2 * pairs)];
      const scale = 1 / (hiddenSize * TEMPERATURE);
      const scores = matmul(queries, matches, { transposeRight: true, scale });
      const isOwn = equal(reshape(numbers(pairs), [pairs, 1]), numbers(pairs));
      const own = multiply(logSoftmax(scores), where(isOwn, graph.scalar(1 / pairs), zero));
      return negate(reduceSum(own, [0, 1], false));
    },
  };
}

/** Packs the pairs as one batch of rows as long as the longest text, several texts to a row. No text may be empty. */
export function contrastiveBatch(pairs: readonly TextPair[]): PackedBatch {
  const texts = [...pairs.map(({ query }) => query), ...pairs.map(({ match }) => match)];
  const rowLength = Math.max(...texts.map(({ length }) => length));
  /** Tokens in each row so far. */
  const rows: number[] = [];
  const starts = texts.map(({ length }) => {
    const fitting = rows.findIndex((used) => used + length <= rowLength);
    const row = fitting < 0 ? rows.push(0) - 1 : fitting;
    const start = row * rowLength + rows[row]!;
    rows[row]! += length;
    return start;
  });
  const size = rows.length * rowLength;
  const [tokens, positions, examples] = [new Int32Array(size), new Int32Array(size), new Int32Array(size).fill(-1)];
  for (const [number, text] of texts.entries()) {
    const start = starts[number]!;
    tokens.set(text, start);
    examples.fill(number, start, start + text.length);
    for (let at = 0; at < text.length; at++) positions[start + at] = at;
  }
  return {
    rows: rows.length,
    rowLength,
    tokens,
    positions,
    examples,
    predictors: Int32Array.from(texts.flatMap((text, number) => text.map((_, at) => starts[number]! + at))),
    labels: Int32Array.from(texts.flatMap((text, number) => text.map(() => number))),
    targetValues: { weights: Float32Array.from(texts.flatMap((text) => text.map(() => 1 / text.length))) },
  };
}
