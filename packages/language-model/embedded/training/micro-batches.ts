/**
 * Runs several packed micro-batches in one graph: the feeds concatenate their arrays, and the loop body slices out the
 * current one. Row counts and lengths may differ between micro-batches.
 */
import * as onnx from 'onnxruntime-node';
import type { Architecture } from '../../checkpoint/architecture.ts';
import { MASKED } from '../decoder/decoder.ts';
import type { Graph, Value } from '../onnx/graph.ts';
import { and, atLeast, equal, where } from '../onnx/operations/compare.ts';
import { cast, gatherRows, reshape, sliceRange } from '../onnx/operations/layout.ts';
import type { GraphLoss } from './graph-loss.ts';
import type { PackedBatch } from './packed-batch.ts';
import { type DecoderOutputs, type ParameterValues, trainedDecoder } from './trained-decoder.ts';

const PER_TOKEN = ['tokens', 'positions', 'examples'] as const;
const PER_TARGET = ['predictors', 'labels'] as const;
const PER_BATCH = ['rows', 'rowLength', 'firstToken', 'endToken', 'firstTarget', 'endTarget'] as const;

/** The graph's inputs, by the names above and the names of the loss's numbers. */
export type MicroBatchInputs = ReadonlyMap<string, Value>;

/** Adds the inputs that `microBatchFeeds` feeds. */
export function microBatchInputs(graph: Graph, loss: GraphLoss): MicroBatchInputs {
  const inputs = new Map<string, Value>();
  for (const name of PER_TOKEN) inputs.set(name, graph.input(name, 'int32', ['all_tokens']));
  for (const name of PER_TARGET) inputs.set(name, graph.input(name, 'int32', ['all_targets']));
  for (const name of loss.targetValues) inputs.set(name, graph.input(name, 'float32', ['all_targets']));
  for (const name of PER_BATCH) inputs.set(name, graph.input(name, 'int64', ['micro_batches']));
  return inputs;
}

/** Returns the feeds of micro-batches in order. */
export function microBatchFeeds(
  batches: readonly PackedBatch[],
  loss: GraphLoss,
): Readonly<Record<string, onnx.Tensor>> {
  const feeds: Record<string, onnx.Tensor> = {};
  const add = (name: string, type: 'int32' | 'float32', parts: readonly (Int32Array | Float32Array)[]) => {
    const length = parts.reduce((total, part) => total + part.length, 0);
    const all = type === 'int32' ? new Int32Array(length) : new Float32Array(length);
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    feeds[name] = new onnx.Tensor(type, all, [length]);
  };
  for (const name of [...PER_TOKEN, ...PER_TARGET])
    add(
      name,
      'int32',
      batches.map((batch) => batch[name]),
    );
  for (const name of loss.targetValues)
    add(
      name,
      'float32',
      batches.map((batch) => batch.targetValues[name]!),
    );
  const ends = (length: (batch: PackedBatch) => number) => {
    let end = 0;
    return batches.map((batch) => {
      end += length(batch);
      return end;
    });
  };
  const [tokenEnds, targetEnds] = [ends(({ tokens }) => tokens.length), ends(({ labels }) => labels.length)];
  const numbers: Readonly<Record<(typeof PER_BATCH)[number], readonly number[]>> = {
    rows: batches.map(({ rows }) => rows),
    rowLength: batches.map(({ rowLength }) => rowLength),
    firstToken: [0, ...tokenEnds.slice(0, -1)],
    endToken: tokenEnds,
    firstTarget: [0, ...targetEnds.slice(0, -1)],
    endTarget: targetEnds,
  };
  for (const name of PER_BATCH)
    feeds[name] = new onnx.Tensor('int64', BigInt64Array.from(numbers[name], BigInt), [batches.length]);
  return feeds;
}

/** The decoder's outputs for one micro-batch. */
export interface MicroBatchOutputs {
  readonly outputs: DecoderOutputs;
  /** The scored tokens, int64 [targets]. */
  readonly labels: Value;
  /** The loss's numbers for each scored token. */
  readonly values: ReadonlyMap<string, Value>;
}

/** Returns the loss of a micro-batch, a scalar. */
export const lossOf = (loss: GraphLoss, { outputs, labels, values }: MicroBatchOutputs): Value =>
  loss.loss(outputs, labels, values);

/** Runs micro-batch `index` (int64 [1]) through the decoder, in the loop body `body`. */
export function microBatch(
  body: Graph,
  architecture: Architecture,
  loss: GraphLoss,
  parameters: ParameterValues,
  inputs: MicroBatchInputs,
  index: Value,
): MicroBatchOutputs {
  const input = (name: string) => body.capture(inputs.get(name)!);
  const number = (name: (typeof PER_BATCH)[number]) => gatherRows(input(name), index);
  body.bindDimension('rows', number('rows'));
  body.bindDimension('row_length', number('rowLength'));
  const [firstToken, endToken] = [number('firstToken'), number('endToken')];
  const [firstTarget, endTarget] = [number('firstTarget'), number('endTarget')];
  const perToken = (name: (typeof PER_TOKEN)[number]) =>
    reshape(sliceRange(input(name), firstToken, endToken, 'tokens'), ['rows', 'row_length']);
  const perTarget = (name: string) => sliceRange(input(name), firstTarget, endTarget, 'targets');
  const positions = perToken('positions');
  const outputs = trainedDecoder(body, architecture, parameters, {
    tokens: cast(perToken('tokens'), 'int64'),
    positions: cast(positions, 'int64'),
    attentionBias: attentionBias(positions, perToken('examples')),
    predictors: cast(perTarget('predictors'), 'int64'),
  });
  const values = new Map(loss.targetValues.map((name) => [name, perTarget(name)]));
  return { outputs, labels: cast(perTarget('labels'), 'int64'), values };
}

/**
 * Returns 0 where a position attends to the other (same example, not later), very negative elsewhere: [rows, 1,
 * length, length].
 */
function attentionBias(positions: Value, examples: Value): Value {
  const [rows, length] = [positions.shape[0]!, positions.shape[1]!];
  const asSeer = (value: Value) => reshape(value, [rows, 1, length, 1]);
  const asSeen = (value: Value) => reshape(value, [rows, 1, 1, length]);
  const seen = and(equal(asSeer(examples), asSeen(examples)), atLeast(asSeer(positions), asSeen(positions)));
  return where(seen, positions.graph.scalar(0), positions.graph.scalar(MASKED));
}
