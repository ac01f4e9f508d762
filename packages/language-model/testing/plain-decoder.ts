/** The decoder over one packed batch as a graph of its own with every shape fixed, and its inputs: what the reference evaluates. */
import type { Architecture } from '../checkpoint/architecture.ts';
import type { Graph, Value } from '../embedded/onnx/graph.ts';
import type { PackedBatch } from '../embedded/training/packed-batch.ts';
import { parameterLayout, parameterView } from '../embedded/training/parameter-layout.ts';
import { type DecoderOutputs, trainedDecoder } from '../embedded/training/trained-decoder.ts';
import { type Tensor, tensor } from './reference.ts';

export interface PlainDecoder {
  readonly outputs: DecoderOutputs;
  /** Tokens that are scored, int64 [targets]. */
  readonly labels: Value;
  /** Everything the graph is fed with, weights included. */
  readonly feeds: Map<string, Tensor>;
}

export function plainDecoder(
  graph: Graph,
  architecture: Architecture,
  parameters: Float32Array,
  batch: PackedBatch,
): PlainDecoder {
  const { rows, rowLength } = batch;
  const targets = batch.predictors.length;
  const feeds = new Map<string, Tensor>();
  const input = (name: string, type: 'int64' | 'float32', dimensions: readonly number[], data: ArrayLike<number>) => {
    feeds.set(name, tensor(dimensions, data));
    return graph.input(name, type, dimensions);
  };
  const { entries } = parameterLayout(architecture.shape, architecture.constants);
  const weights = new Map(
    entries.map((entry) => [entry.name, input(entry.name, 'float32', entry.shape, parameterView(parameters, entry))]),
  );
  const outputs = trainedDecoder(graph, architecture, weights, {
    tokens: input('tokens', 'int64', [rows, rowLength], batch.tokens),
    positions: input('positions', 'int64', [rows, rowLength], batch.positions),
    attentionBias: input('attention_bias', 'float32', [rows, 1, rowLength, rowLength], attentionBias(batch)),
    predictors: input('predictors', 'int64', [targets], batch.predictors),
  });
  return { outputs, labels: input('labels', 'int64', [targets], batch.labels), feeds };
}

function attentionBias({ rows, rowLength, examples, positions }: PackedBatch): number[] {
  const bias: number[] = [];
  for (let row = 0; row < rows; row += 1)
    for (let seer = row * rowLength; seer < (row + 1) * rowLength; seer += 1)
      for (let seen = row * rowLength; seen < (row + 1) * rowLength; seen += 1)
        bias.push(examples[seer] === examples[seen] && positions[seen]! <= positions[seer]! ? 0 : -1e9);
  return bias;
}
