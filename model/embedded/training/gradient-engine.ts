/**
 * The training graph in ONNX Runtime: packed tokens and weights in, loss and gradients out. One session for each row length.
 * Weights are fed as views of the flat vector (no copy); gradients come back one tensor a weight. Knows nothing of
 * optimizers or of where tokens come from.
 */
import * as onnx from 'onnxruntime-node';
import { StpError } from '../../../data/errors.ts';
import type { ModelShape } from '../../trainer.ts';
import { differentiate } from '../onnx/gradients/differentiate.ts';
import { Graph } from '../onnx/graph.ts';
import { decoderInputs, decoderLogits, parameterInputs } from './decoder.ts';
import { type Objective, weightedLikelihood } from './objective.ts';
import type { PackedBatch } from './packed-batch.ts';
import { type ParameterLayout, parameterLayout, parameterView } from './parameter-layout.ts';

const LOSS_NAME = 'loss';
const gradientName = (parameter: string) => `gradient:${parameter}`;

/** The ONNX model that computes the loss of packed rows of one length and its gradient by every weight. */
export function encodeTrainingGraph(shape: ModelShape, rowLength: number, objective: Objective): Uint8Array {
  const graph = new Graph('training');
  const parameters = parameterInputs(graph, parameterLayout(shape));
  const logits = decoderLogits(graph, shape, rowLength, parameters, decoderInputs(graph, rowLength));
  const loss = objective(graph, logits);
  const names = [...parameters.keys()];
  const gradients = differentiate(loss, [...parameters.values()]);
  graph.output(LOSS_NAME, loss);
  names.forEach((name, index) => {
    graph.output(gradientName(name), gradients[index]!);
  });
  return graph.encode();
}

export interface GradientEngineOptions {
  readonly threads: number;
  readonly objective?: Objective;
}

export class GradientEngine {
  readonly layout: ParameterLayout;
  private readonly shape: ModelShape;
  private readonly threads: number;
  private readonly objective: Objective;
  private readonly sessions = new Map<number, onnx.InferenceSession>();

  constructor(shape: ModelShape, options: GradientEngineOptions) {
    this.shape = shape;
    this.layout = parameterLayout(shape);
    this.threads = options.threads;
    this.objective = options.objective ?? weightedLikelihood;
  }

  /** Adds the gradient of the batch's loss to `gradient` (flat, as the layout) and returns the loss. Blocks its thread. */
  async accumulate(parameters: Float32Array, batch: PackedBatch, gradient: Float32Array): Promise<number> {
    const session = await this.session(batch.rowLength);
    const { rows, rowLength } = batch;
    const targets = [batch.predictors.length];
    const feeds: Record<string, onnx.Tensor> = {
      tokens_in: new onnx.Tensor('int64', batch.tokens, [rows, rowLength]),
      positions: new onnx.Tensor('int64', batch.positions, [rows, rowLength]),
      attention_bias: new onnx.Tensor('float32', batch.attentionBias, [rows, 1, rowLength, rowLength]),
      predictors: new onnx.Tensor('int64', batch.predictors, targets),
      labels: new onnx.Tensor('int64', batch.labels, targets),
      weights: new onnx.Tensor('float32', batch.weights, targets),
    };
    for (const entry of this.layout.entries)
      feeds[entry.name] = new onnx.Tensor('float32', parameterView(parameters, entry), entry.shape);
    const results = await this.run(session, feeds);
    for (const entry of this.layout.entries) {
      const part = results[gradientName(entry.name)]!.data as Float32Array;
      const { offset } = entry;
      for (let index = 0; index < part.length; index += 1) gradient[offset + index]! += part[index]!;
    }
    return (results[LOSS_NAME]!.data as Float32Array)[0]!;
  }

  async close(): Promise<void> {
    for (const session of this.sessions.values()) await session.release();
    this.sessions.clear();
  }

  private async session(rowLength: number): Promise<onnx.InferenceSession> {
    const known = this.sessions.get(rowLength);
    if (known) return known;
    const model = encodeTrainingGraph(this.shape, rowLength, this.objective);
    const session = await onnx.InferenceSession.create(model, {
      executionProviders: ['cpu'],
      intraOpNumThreads: this.threads,
      graphOptimizationLevel: 'all',
      // Shapes differ from batch to batch, and a memory plan would be kept for each.
      enableMemPattern: false,
      extra: {
        session: {
          // Hidden positions get shares near the smallest float; arithmetic on subnormal numbers is ten times slower.
          // ONNX Runtime sets this for the calling thread too: from here on its JavaScript rounds them to zero as well.
          set_denormal_as_zero: '1',
          // Spinning threads starve Lean and each other on a small machine.
          intra_op: { allow_spinning: '0' },
        },
      },
    });
    this.sessions.set(rowLength, session);
    return session;
  }

  private async run(session: onnx.InferenceSession, feeds: Record<string, onnx.Tensor>) {
    try {
      return await session.run(feeds);
    } catch (cause) {
      throw new StpError(
        'STP1301',
        `ONNX Runtime could not run the training graph: ${cause instanceof Error ? cause.message : String(cause)}`,
        'If memory ran out, lower tokensPerStep or the model size; otherwise report it with this message.',
        { cause },
      );
    }
  }
}
