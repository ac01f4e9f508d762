/**
 * Compares whole trainings by each objective with PyTorch and with the embedded trainer: same steps, same losses, a
 * separate reference model, kept log-probabilities, variables of a resumed training, and two processes. Costs about two
 * minutes of CPU if PyTorch is installed.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectiveConfig, PytorchEngine } from '@stp/config';
import { objectiveConfigSchema, trainerEngineSchema } from '@stp/config/testing';
import { expect, it, vi } from 'vitest';
import { canTrainTogether, device, interpreter, skipsPython } from '../../../../test/python/python.ts';
import { embeddedTrainer } from '../../embedded/engine.ts';
import { EXAMPLES, smallTraining } from '../../testing/small-training.ts';
import type { TrainProgress, TrainRequest } from '../../trainer.ts';
import { pytorchTrainer } from './trainer.ts';

vi.setConfig({ testTimeout: 400_000 });

/** Tolerance for float32 sums in another order, over the steps of a training. */
const DIFFERENCE_MAX = 2e-3;

/** The rate is low: at the edge of a clip, a rounding difference adds or removes a token's whole gradient. */
const LEARNING_RATE = 1e-4;

const role = 'prover' as const;
const rows = EXAMPLES.slice(0, 24);
const objective = (config: Record<string, unknown>): ObjectiveConfig => objectiveConfigSchema.parse(config);
const state = (prompt: string, stop: string | null, logReward: number, logBackward = 0) => ({
  prompt,
  stop,
  logReward,
  logBackward,
});
const CASES: readonly {
  readonly name: string;
  readonly config: ObjectiveConfig;
  readonly records: readonly unknown[];
}[] = [
  {
    name: 'grpo',
    config: objective({ kind: 'grpo', klCoefficient: 0.1 }),
    records: rows.map((row, at) => ({
      ...row,
      advantage: at % 2 === 0 ? 1 : -0.7,
      logprob: at % 3 === 0 ? null : -30,
    })),
  },
  {
    name: 'dpo',
    config: objective({ kind: 'dpo', beta: 0.3 }),
    records: rows.map(({ prompt, target, weight }) => ({ prompt, chosen: target, rejected: 'decide', weight, role })),
  },
  {
    name: 'gfn',
    config: objective({ kind: 'gfn', balance: 'trajectory', logZRate: 0.2 }),
    records: rows.map(({ prompt, target }, at) => ({
      group: `g${at % 5}`,
      weight: 1,
      role,
      trajectories: [
        { states: [state(prompt, 'done', -1), state('', null, 0)], targets: [target] },
        { states: [state(prompt, 'done', -1), state(prompt, 'done', -3, -0.7)], targets: ['rfl'] },
      ],
    })),
  },
];

const engine = (changes: Partial<PytorchEngine> = {}): PytorchEngine => ({
  ...(trainerEngineSchema.parse({ kind: 'pytorch' }) as PytorchEngine),
  python: interpreter,
  device,
  precision: 'float32',
  microBatchTokens: 256,
  keepStateSeconds: 0,
  ...changes,
});

async function steps(request: TrainRequest, by: 'embedded' | 'pytorch', changes: Partial<PytorchEngine> = {}) {
  const seen: TrainProgress[] = [];
  const trainer =
    by === 'embedded' ? embeddedTrainer({ threads: 1 }) : pytorchTrainer({ engine: engine(changes), threads: 1 });
  const result = await trainer.train(request, { onProgress: (progress) => void seen.push(progress) });
  return { seen, result };
}

it.skipIf(skipsPython('objectives with PyTorch')).each(CASES)('$name', async ({ name, config, records }) => {
  const base = await smallTraining();
  await steps(base.request, 'embedded');
  const reference = await smallTraining({ steps: 6 });
  await steps(reference.request, 'embedded');
  const training = async (more: Partial<TrainRequest> = {}) => {
    const { directory, request } = await smallTraining({
      initDirectory: base.request.outputDirectory,
      steps: 5,
      weightDecay: 0,
      learningRate: LEARNING_RATE,
      referenceDirectory: reference.request.outputDirectory,
      objective: config,
      ...more,
    });
    await writeFile(request.examplesPath, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return { directory, request };
  };
  const ours = await training();
  const embedded = await steps(ours.request, 'embedded');
  const theirs = await training();
  const stateDirectory = join(theirs.directory, 'state');
  const pytorch = await steps({ ...theirs.request, stateDirectory }, 'pytorch');
  const expectSame = (seen: readonly TrainProgress[], first: number) =>
    seen.forEach(({ step, loss, gradientNorm }) => {
      const other = embedded.seen[step - 1]!;
      expect(step).toBeGreaterThanOrEqual(first);
      expect(Math.abs(loss - other.loss)).toBeLessThan(DIFFERENCE_MAX * Math.max(1, Math.abs(other.loss)));
      expect(Math.abs(gradientNorm - other.gradientNorm)).toBeLessThan(0.01 * Math.max(1, other.gradientNorm));
    });
  expect(pytorch.seen.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  expectSame(pytorch.seen, 1);
  // The losses move, so their agreement says something.
  expect(Math.abs(embedded.seen.at(-1)!.loss - embedded.seen[0]!.loss)).toBeGreaterThan(10 * DIFFERENCE_MAX);
  const kept = (await readdir(stateDirectory)).filter((file) => file.startsWith('logprobs-')).sort();
  expect(kept).toEqual(name === 'grpo' ? ['logprobs-first.bin', 'logprobs-reference.bin'] : ['logprobs-reference.bin']);
  // From the last state, which has the variables too.
  const again = { ...theirs.request, stateDirectory, outputDirectory: join(theirs.directory, 'again') };
  expectSame((await steps(again, 'pytorch')).seen, 2);
  if (name !== 'gfn' || !canTrainTogether) return;
  const both = await training();
  expectSame((await steps(both.request, 'pytorch', { processes: 2 })).seen, 1);
});
