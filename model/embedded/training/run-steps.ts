/** The optimizer steps of a training: pack, compute gradients micro-batch by micro-batch, apply, watch the loss. */
import { StpError } from '../../../data/errors.ts';
import type { TrainOptions, TrainRequest } from '../../trainer.ts';
import { Adamw, globalNorm } from './adamw.ts';
import type { ExampleStore } from './example-store.ts';
import type { GradientEngine } from './gradient-engine.ts';
import { learningRateAt } from './learning-rate.ts';
import { packRows } from './pack-rows.ts';
import { packedBatch, type TokenisedExample } from './packed-batch.ts';
import { exampleSteps } from './schedule-examples.ts';

/** Share of the steps, at the end, that the final loss is averaged over. */
const FINAL_LOSS_SHARE = 0.1;
const MILLISECONDS = 1000;

export interface StepsOutcome {
  /** Nats per target token, weighted, over the last tenth of the steps. */
  readonly finalLoss: number;
  /** Tokens trained on, padding not counted. */
  readonly tokens: number;
  readonly seconds: number;
}

/** Changes `parameters` in place. STP1301 where the loss or the gradient stops being finite, naming the step. */
export async function runSteps(
  engine: GradientEngine,
  parameters: Float32Array,
  examples: ExampleStore,
  request: TrainRequest,
  { signal, onProgress }: TrainOptions,
): Promise<StepsOutcome> {
  const optimizer = new Adamw(engine.layout, request);
  const gradient = new Float32Array(engine.layout.size);
  const finalSteps = Math.max(1, Math.round(request.steps * FINAL_LOSS_SHARE));
  const started = performance.now();
  let tokens = 0;
  let finalLossSum = 0;
  let finalWeight = 0;
  let step = 0;
  for (const indices of exampleSteps(examples, request.tokensPerStep, request.seed)) {
    signal?.throwIfAborted();
    step += 1;
    const chosen = indices.map((index) => examples.get(index));
    const weight = chosen.reduce((total, example) => total + targetWeight(example), 0);
    let loss = 0;
    gradient.fill(0);
    for (const { rows, rowLength } of packRows(chosen, request.shape.contextLength))
      loss += await engine.accumulate(parameters, packedBatch(rows, rowLength, 1 / weight), gradient);
    const gradientNorm = globalNorm(gradient);
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) throw diverged(step, loss, gradientNorm);
    optimizer.step(parameters, gradient, gradientNorm, learningRateAt(step, request));
    tokens += chosen.reduce((total, example) => total + example.tokens.length, 0);
    if (step > request.steps - finalSteps) {
      finalLossSum += loss * weight;
      finalWeight += weight;
    }
    const tokensPerSecond = (tokens * MILLISECONDS) / (performance.now() - started);
    onProgress?.({ step, steps: request.steps, loss, gradientNorm, tokensPerSecond });
    if (step === request.steps) break;
  }
  const seconds = (performance.now() - started) / MILLISECONDS;
  return { finalLoss: finalLossSum / finalWeight, tokens, seconds };
}

/** Sum of the weights of an example's scored tokens. */
function targetWeight({ tokens, promptLength, weight }: TokenisedExample): number {
  return (tokens.length - promptLength) * weight;
}

function diverged(step: number, loss: number, gradientNorm: number): StpError {
  return new StpError(
    'STP1301',
    `training diverged at step ${step}: loss ${loss}, gradient norm ${gradientNorm}`,
    'Lower the learning rate or lengthen the warm-up; if the weights it started from are new, train those again.',
    { facts: { step, loss, gradientNorm } },
  );
}
