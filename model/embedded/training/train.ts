/**
 * Trains the embedded model in this process: examples in, checkpoint folder out. Blocks its thread for the length of a
 * micro-batch at a time, so it belongs in a process of its own. The same request with the same number of threads gives
 * the same weights, bit for bit.
 */
import { z } from 'zod';
import { StpError } from '../../../data/errors.ts';
import { writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import type { TrainOptions, TrainRequest, TrainResult } from '../../trainer.ts';
import { readExamples } from './example-file.ts';
import { ExampleStore } from './example-store.ts';
import { GradientEngine } from './gradient-engine.ts';
import { initialState } from './initial-state.ts';
import { parameterView } from './parameter-layout.ts';
import { runSteps } from './run-steps.ts';

/** Threads of ONNX Runtime when the caller names no number: a laptop's share that leaves room for Lean. */
const THREADS_DEFAULT = 2;

const requestSchema = z.object({
  steps: z.int().min(1).max(1e9),
  tokensPerStep: z.int().min(1).max(1e7),
  learningRate: z.number().positive(),
  warmupSteps: z.int().nonnegative(),
  weightDecay: z.number().nonnegative(),
  gradientClipNorm: z.number().nonnegative(),
  seed: z.int().nonnegative(),
});

export interface TrainInProcessOptions extends TrainOptions {
  readonly threads?: number;
}

/**
 * Throws STP1002 (request), STP1302 (checkpoint to start from), STP1501 (a line of the examples), STP1301 (the engine, or a
 * loss that is no longer finite), STP1401 (checkpoint not writable); an abort reason where `signal` is aborted.
 */
export async function trainInProcess(request: TrainRequest, options: TrainInProcessOptions = {}): Promise<TrainResult> {
  const parsed = requestSchema.safeParse(request);
  if (!parsed.success)
    throw new StpError('STP1002', `training request: ${z.prettifyError(parsed.error)}`, 'See `TrainRequest`.');
  const { shape } = request;
  const { tokenizer, parameters, parent } = await initialState(request);
  const examples = new ExampleStore(tokenizer, shape.contextLength);
  for (const example of readExamples(request.examplesPath)) examples.add(example);
  if (examples.count === 0)
    throw new StpError(
      'STP1002',
      `${request.examplesPath} has no example to train on (${examples.tooLong} are longer than the context)`,
      'Give examples of positive weight that fit contextLength, or raise contextLength.',
    );
  const engine = new GradientEngine(shape, { threads: options.threads ?? THREADS_DEFAULT });
  try {
    const outcome = await runSteps(engine, parameters, examples, request, options);
    const tensors = new Map(
      engine.layout.entries.map((entry) => [
        entry.name,
        { shape: entry.shape, values: parameterView(parameters, entry) },
      ]),
    );
    const { seed, steps, learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep } = request;
    const recipe = { learningRate, warmupSteps, schedule, weightDecay, gradientClipNorm, tokensPerStep };
    const { tokens, finalLoss } = outcome;
    const training = { seed, steps, tokens, finalLoss, ...recipe, parent };
    await writeCheckpoint(request.outputDirectory, { shape, tensors, tokenizer, training });
    return { steps, tooLong: examples.tooLong, ...outcome };
  } finally {
    await engine.close();
  }
}
