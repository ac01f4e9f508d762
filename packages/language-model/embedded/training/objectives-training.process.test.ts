/**
 * Tests whole trainings by each objective on a small model: they learn from their records, resume to the same bits with
 * their own variables, keep constant log-probabilities, and refuse invalid input. Costs about 20 s.
 */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectiveConfig } from '@stp/config';
import { objectiveConfigSchema } from '@stp/config/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Ensemble } from '../../ensemble/ensemble.ts';
import { trainEnsemble } from '../../ensemble/train-ensemble.ts';
import { SMALL_SHAPE } from '../../testing/small-model.ts';
import type { TrainProgress, TrainRequest } from '../../trainer.ts';
import { trainInProcess } from './train.ts';

const PROMPTS = Array.from({ length: 6 }, (_, index) => `<prove>(a b : Nat) : a + ${index} = b<by>`);
const role = 'prover' as const;
const preference = (prompt: string) => ({ prompt, chosen: 'omega', rejected: 'decide', weight: 1, role });

let folder: string;
let base: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-objectives-'));
  const examples = PROMPTS.flatMap((prompt) =>
    ['omega', 'decide'].map((target) => ({ prompt, target, weight: 1, role })),
  );
  base = join(folder, 'base');
  await trainInProcess(
    { ...(await request(examples, {})), outputDirectory: base, initDirectory: null, steps: 60, learningRate: 1e-2 },
    { threads: 1 },
  );
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function request(rows: readonly unknown[], changes: Partial<TrainRequest>): Promise<TrainRequest> {
  const examplesPath = join(folder, `rows-${files++}.jsonl`);
  await writeFile(examplesPath, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return {
    ...{ examplesPath, initDirectory: base, shape: SMALL_SHAPE, outputDirectory: join(folder, `out-${files++}`) },
    steps: 20,
    tokensPerStep: 200,
    learningRate: 2e-3,
    warmupSteps: 2,
    schedule: 'constant',
    weightDecay: 0,
    gradientClipNorm: 1,
    seed: 5,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: 100,
    ...changes,
  };
}

const objective = (config: Record<string, unknown>): ObjectiveConfig => objectiveConfigSchema.parse(config);
const weightsOf = (directory: string) => readFile(join(directory, 'model.safetensors'));

/** log p(omega) − log p(decide), as the mean over the prompts, of a model beside the base model. */
async function margin(directory: string): Promise<number> {
  const ensemble = join(folder, `measured-${files++}`);
  await trainEnsemble(
    // No training happens: the member is the model itself.
    {
      train: async ({ outputDirectory }) =>
        (await import('node:fs/promises')).cp(directory, outputDirectory, { recursive: true }) as never,
    },
    {
      pairs: PROMPTS.map(preference),
      initDirectory: base,
      directory: ensemble,
      members: 1,
      beta: 1,
      seed: 1,
      steps: 1,
      tokensPerStep: 1,
      learningRate: 1,
      warmupSteps: 0,
    },
  );
  const open = await Ensemble.open(ensemble, { threads: 1 });
  try {
    const targets = PROMPTS.flatMap((prompt) => ['omega', 'decide'].map((target) => ({ prompt, target })));
    const rewards = (await open.rewards(targets)).map((own) => own![0]!);
    return PROMPTS.reduce((sum, _, at) => sum + rewards[2 * at]! - rewards[2 * at + 1]!, 0) / PROMPTS.length;
  } finally {
    await open.close();
  }
}

describe('trainings learn', () => {
  test('DPO puts the chosen target above the rejected one', async () => {
    const seen: TrainProgress[] = [];
    const asked = await request(PROMPTS.map(preference), { objective: objective({ kind: 'dpo', beta: 0.5 }) });
    const { finalLoss } = await trainInProcess(asked, { threads: 1, onProgress: (step) => seen.push(step) });
    expect(seen[0]!.loss).toBeCloseTo(Math.log(2), 5);
    expect(finalLoss).toBeLessThan(0.4);
    expect(await margin(asked.outputDirectory)).toBeGreaterThan(1);
    expect(await margin(base)).toBeCloseTo(0, 5);
  });

  test('GRPO raises what has an advantage, and a strong pull to the reference keeps it', async () => {
    const rows = PROMPTS.flatMap((prompt) => [
      { prompt, target: 'omega', weight: 1, role, advantage: 1, logprob: null },
      { prompt, target: 'decide', weight: 1, role, advantage: -1, logprob: null },
    ]);
    const free = await request(rows, { objective: objective({ kind: 'grpo' }) });
    const held = await request(rows, { objective: objective({ kind: 'grpo', klCoefficient: 20, klEstimator: 'k2' }) });
    for (const asked of [free, held]) await trainInProcess(asked, { threads: 1 });
    const [freely, heldBack] = [await margin(free.outputDirectory), await margin(held.outputDirectory)];
    expect(freely).toBeGreaterThan(0.3);
    expect(heldBack).toBeLessThan(0.7 * freely);
  });

  test('a flow samples each end as often as its reward says', async () => {
    const rows = PROMPTS.map((prompt, at) => ({
      group: `g${at}`,
      weight: 1,
      role,
      trajectories: ['omega', 'decide'].map((target) => ({
        states: [
          { prompt, stop: null, logReward: 0, logBackward: 0 },
          { prompt, stop: null, logReward: target === 'omega' ? Math.log(9) : 0, logBackward: 0 },
        ],
        targets: [target],
      })),
    }));
    const asked = await request(rows, { objective: objective({ kind: 'gfn', balance: 'variance' }), steps: 60 });
    const { finalLoss } = await trainInProcess(asked, { threads: 1 });
    expect(finalLoss).toBeLessThan(0.05);
    // In the base model both have about the same probability.
    expect(await margin(asked.outputDirectory)).toBeCloseTo(Math.log(9), 0);
  });
});

describe('a training that is cut off', () => {
  test('ends with the same bits and variables, and computes what does not change once', async () => {
    const rows = PROMPTS.map((prompt, at) => ({
      group: `g${at % 3}`,
      weight: 1,
      role,
      trajectories: [
        {
          states: [
            { prompt, stop: 'decide', logReward: 0, logBackward: 0 },
            { prompt, stop: null, logReward: 1, logBackward: -0.5 },
          ],
          targets: ['omega'],
        },
      ],
    }));
    const balance = objective({ kind: 'gfn', balance: 'trajectory', prior: 0 });
    const whole = await request(rows, { objective: balance });
    await trainInProcess(whole, { threads: 1 });
    const stateDirectory = join(folder, `state-${files++}`);
    const cut = { ...whole, outputDirectory: join(folder, `out-${files++}`), stateDirectory };
    const stop = new AbortController();
    const onKept = async (): Promise<void> => stop.abort(new Error('enough'));
    await expect(trainInProcess(cut, { threads: 1, keepStateMs: 0, signal: stop.signal, onKept })).rejects.toThrow(
      'enough',
    );
    const steps: number[] = [];
    await trainInProcess(cut, { threads: 1, onProgress: ({ step }) => steps.push(step) });
    expect(steps[0]).toBeGreaterThan(1);
    expect((await weightsOf(cut.outputDirectory)).equals(await weightsOf(whole.outputDirectory))).toBe(true);
  });

  test('keeps the log-probabilities of the reference, and takes no damaged ones', async () => {
    const stateDirectory = join(folder, `state-${files++}`);
    const ask = async () =>
      request(PROMPTS.map(preference), { objective: objective({ kind: 'dpo' }), stateDirectory, steps: 3 });
    const first = await ask();
    await trainInProcess(first, { threads: 1 });
    const kept = join(stateDirectory, 'logprobs-reference.bin');
    const { mtimeMs } = await stat(kept);
    const again = { ...first, outputDirectory: join(folder, `out-${files++}`) };
    await trainInProcess(again, { threads: 1 });
    expect((await stat(kept)).mtimeMs).toBe(mtimeMs);
    const bytes = await readFile(kept);
    bytes[bytes.length - 1]! ^= 0x40;
    await writeFile(kept, bytes);
    const third = { ...first, outputDirectory: join(folder, `out-${files++}`) };
    await trainInProcess(third, { threads: 1 });
    expect((await weightsOf(third.outputDirectory)).equals(await weightsOf(first.outputDirectory))).toBe(true);
    expect((await readFile(kept)).equals(bytes)).toBe(false);
    expect(await readdir(stateDirectory)).not.toContain('logprobs-reference.bin.partial');
  });
});

describe('what is refused', () => {
  const dpo = objective({ kind: 'dpo' });
  test.for([
    { name: 'a record of another objective', row: { prompt: 'p', target: 't', weight: 1, role }, code: 'STP1501' },
    { name: 'an empty prompt', row: { ...preference('p'), prompt: '' }, code: 'STP1501' },
    { name: 'a weight that is no number', row: { ...preference('p'), weight: 'x' }, code: 'STP1501' },
  ])('$name', async ({ row, code }) => {
    const asked = await request([preference('p'), row], { objective: dpo });
    await expect(trainInProcess(asked)).rejects.toMatchObject({ code, message: expect.stringContaining(':2') });
  });

  test('a training without a model to start from', async () => {
    const asked = await request([preference('p')], { objective: dpo, initDirectory: null });
    await expect(trainInProcess(asked)).rejects.toMatchObject({ code: 'STP1002' });
  });
});
