/**
 * The training graphs in ONNX Runtime: runs some optimizer steps in one call, or computes log-probabilities of targets.
 * The state is fed as views of its flat vectors, and results are copied back into them. The number of steps in a call
 * affects speed but not a single bit of the result. Blocks its thread.
 */

import { StpError } from '@stp/base';
import * as onnx from 'onnxruntime-node';
import type { Architecture } from '../../checkpoint/architecture.ts';
import { type LlamaConstants, OWN_CONSTANTS } from '../../checkpoint/llama-tensors.ts';
import type { ModelShape } from '../../trainer.ts';
import { stepFactors } from './adamw.ts';
import { type GraphLoss, weightedLikelihood } from './graph-loss.ts';
import { microBatchFeeds } from './micro-batches.ts';
import type { PackedBatch } from './packed-batch.ts';
import { type ParameterLayout, parameterLayout, parameterView } from './parameter-layout.ts';
import {
  inputName,
  type OptimizerOptions,
  outputName,
  STATE_PARTS,
  scoringGraph,
  trainingGraph,
} from './training-graph.ts';
import type { TrainingState } from './training-state.ts';

export interface StepPlan {
  /** Number of the step, from 1. */
  readonly step: number;
  readonly learningRate: number;
  /** The step's examples. The loss is the sum over all batches. */
  readonly batches: readonly PackedBatch[];
}

export interface StepResult {
  readonly step: number;
  readonly loss: number;
  /** Before clipping. */
  readonly gradientNorm: number;
}

export interface TrainingEngineOptions extends OptimizerOptions {
  readonly shape: ModelShape;
  /** Default: the constants of this project's own models. */
  readonly constants?: LlamaConstants;
  readonly threads: number;
  /** Default: the weighted likelihood. */
  readonly loss?: GraphLoss;
}

export class TrainingEngine {
  readonly layout: ParameterLayout;
  readonly #options: TrainingEngineOptions;
  readonly #architecture: Architecture;
  readonly #loss: GraphLoss;
  #training: Promise<onnx.InferenceSession> | undefined;
  #scoring: Promise<onnx.InferenceSession> | undefined;

  constructor(options: TrainingEngineOptions) {
    this.#options = options;
    const { shape, constants = OWN_CONSTANTS } = options;
    this.#architecture = { shape, constants };
    this.layout = parameterLayout(shape, constants);
    this.#loss = options.loss ?? weightedLikelihood;
  }

  /** Runs the steps in one call and changes `state`. Throws STP1301 if ONNX Runtime fails. */
  async train(state: TrainingState, plans: readonly StepPlan[]): Promise<StepResult[]> {
    const { weightDecay } = this.#options;
    this.#training ??= this.#open(() => trainingGraph(this.#architecture, this.#loss, this.#options));
    const session = await this.#training;
    const feeds: Record<string, onnx.Tensor> = {
      ...microBatchFeeds(
        plans.flatMap(({ batches }) => batches),
        this.#loss,
      ),
    };
    const factors = plans.map(({ step, learningRate }) => stepFactors(step, learningRate, weightDecay));
    for (const name of ['rate', 'epsilon', 'kept'] as const)
      feeds[name] = new onnx.Tensor(
        'float32',
        Float32Array.from(factors, (factor) => factor[name]),
        [plans.length],
      );
    const counts = plans.map(({ batches }) => batches.length);
    let first = 0;
    const firsts = counts.map((count) => {
      first += count;
      return first - count;
    });
    feeds.firstBatch = int64(firsts, [plans.length]);
    feeds.batchCount = int64(counts, [plans.length]);
    feeds.stepCount = int64([plans.length], []);
    for (const part of STATE_PARTS) this.#feedState(feeds, part, state[part]);
    const results = await this.#run(session, feeds);
    for (const part of STATE_PARTS)
      for (const entry of this.layout.entries) {
        const next = results[outputName(part, entry.name)]!.data as Float32Array<ArrayBuffer>;
        parameterView(state[part], entry).set(next);
        // Frees the buffer now: results of a large model are gigabytes, and the garbage collector would keep those of
        // two calls.
        next.buffer.transfer(0);
      }
    const [losses, norms] = [results.losses!.data as Float32Array, results.norms!.data as Float32Array];
    return plans.map(({ step }, index) => ({ step, loss: losses[index]!, gradientNorm: norms[index]! }));
  }

  /** Returns the log-probability of each scored token, batch after batch, in the order of `PackedBatch.labels`. */
  async logProbabilities(parameters: Float32Array, batches: readonly PackedBatch[]): Promise<Float32Array[]> {
    this.#scoring ??= this.#open(() => scoringGraph(this.#architecture));
    const session = await this.#scoring;
    const found: Float32Array[] = [];
    for (const batch of batches) {
      const feeds: Record<string, onnx.Tensor> = { ...microBatchFeeds([batch], weightedLikelihood) };
      this.#feedState(feeds, 'parameters', parameters);
      const { logProbabilities } = await this.#run(session, feeds);
      found.push(logProbabilities!.data as Float32Array);
    }
    return found;
  }

  async close(): Promise<void> {
    for (const session of [this.#training, this.#scoring]) await (await session)?.release();
    this.#training = undefined;
    this.#scoring = undefined;
  }

  #feedState(feeds: Record<string, onnx.Tensor>, part: (typeof STATE_PARTS)[number], vector: Float32Array): void {
    for (const entry of this.layout.entries)
      feeds[inputName(part, entry.name)] = new onnx.Tensor('float32', parameterView(vector, entry), entry.shape);
  }

  #open(model: () => Uint8Array): Promise<onnx.InferenceSession> {
    return onnx.InferenceSession.create(model(), {
      executionProviders: ['cpu'],
      intraOpNumThreads: this.#options.threads,
      graphOptimizationLevel: 'all',
      // Shapes differ between batches, and ONNX Runtime would keep a memory plan for each.
      enableMemPattern: false,
      extra: {
        session: {
          // Hidden positions get probabilities near the smallest float, and arithmetic on subnormals is ten times
          // slower.
          // ONNX Runtime sets this for the calling thread too: from now on its JavaScript also rounds subnormals to
          // zero.
          set_denormal_as_zero: '1',
          // Spinning threads take processor time from Lean and from each other.
          intra_op: { allow_spinning: '0' },
        },
      },
    });
  }

  async #run(session: onnx.InferenceSession, feeds: Record<string, onnx.Tensor>) {
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

const int64 = (numbers: readonly number[], shape: readonly number[]) =>
  new onnx.Tensor('int64', BigInt64Array.from(numbers, BigInt), shape);
