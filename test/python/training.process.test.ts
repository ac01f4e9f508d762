/**
 * Whole optimizer steps beside PyTorch's autograd, clipping and fused AdamW: the same losses, step after step. Costs about
 * 6 s of CPU where PyTorch is installed, most of it loading it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freshState,
  initialParameters,
  lively,
  type ModelShape,
  packedBatch,
  packRows,
  parameterLayout,
  parameterView,
  randomExample,
  TrainingEngine,
  weighted,
  writeSafetensors,
} from '@stp/language-model/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runPython, skipsPython } from './python.ts';
import { stepsAsJson } from './step-json.ts';

const STEPS = 12;
const RECIPE = { weightDecay: 0.1, gradientClipNorm: 0.5 };
/** float32 on both sides, in another order of summation. */
const RELATIVE_DIFFERENCE_MAX = 1e-5;
const skipped = skipsPython('optimizer steps and PyTorch');

const SHAPE: ModelShape = {
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  feedForwardSize: 48,
  vocabularySize: 40,
  contextLength: 64,
};

it.skipIf(skipped).each([{ tiedEmbeddings: true }, { tiedEmbeddings: false }])('losses of steps, %o', async (head) => {
  const shape = { ...SHAPE, ...head };
  const directory = await mkdtemp(join(tmpdir(), 'stp-steps-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const state = freshState(lively(initialParameters(shape, 1), 2));
  const weights = join(directory, 'weights.safetensors');
  const tensors = parameterLayout(shape).entries.map(
    (entry) => [entry.name, { shape: entry.shape, values: parameterView(state.parameters, entry) }] as const,
  );
  await writeFile(weights, writeSafetensors(new Map(tensors)));
  // Lengths from 8 to 59: several row lengths, so several micro-batches a step.
  const examples = weighted(
    Array.from({ length: 9 }, (_, seed) =>
      randomExample(seed, 8 + ((seed * 19) % 52), 3 + (seed % 4), 0.3 + (seed % 5), shape.vocabularySize),
    ),
  );
  const batches = packRows(examples, shape.contextLength).map(({ rows, rowLength }) => packedBatch(rows, rowLength));
  expect(batches.length).toBeGreaterThan(1);
  const plans = Array.from({ length: STEPS }, (_, index) => ({
    step: index + 1,
    learningRate: 1e-3 * (1 + (index % 3)),
    batches,
  }));
  const engine = new TrainingEngine({ shape, threads: 1, ...RECIPE });
  const ours = await engine.train(state, plans);
  await engine.close();
  const { losses } = (await runPython('bench_training.py', {
    shape,
    weights,
    ...RECIPE,
    steps: stepsAsJson(plans),
  })) as {
    losses: readonly number[];
  };
  expect(losses.at(-1)!).toBeLessThan(0.9 * losses[0]!);
  ours.forEach(({ loss }, index) => {
    expect(Math.abs(loss - losses[index]!) / losses[index]!).toBeLessThan(RELATIVE_DIFFERENCE_MAX);
  });
});
