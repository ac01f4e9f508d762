/**
 * Tests the training activity over a real store, engine and monitor: its log, the state that it keeps for a retry, its
 * leftovers. Costs about 12 s.
 */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { Example, ObjectStore } from '@stp/config/records';
import { embeddedTrainer, type KeptState, type Trainer } from '@stp/language-model';
import type { TrainOptions, TrainProgress } from '@stp/language-model/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { trainModelActivity } from '../../activities/host/train-model.ts';
import { writeRecords } from '../../activities/records/record-files.ts';
import type { Trained, TrainModelInput } from '../../activities/training/training.ts';
import { openJsonlMonitor, readMetrics } from '../../infra/monitor/jsonl-monitor.ts';
import { openStore } from '../../infra/stores/open-store.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const STEPS = 60;
const examples: Example[] = Array.from({ length: 40 }, (_, index) => ({
  prompt: `<prove>${index} + a = b<by>`,
  target: index % 3 ? 'omega' : 'simp',
  weight: 1,
  role: 'prover',
}));

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'stp-train-activity-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = await openStore(pathToFileURL(join(directory, 'store')).href);
  const scratch = join(directory, 'scratch');
  const metrics = join(directory, 'metrics.jsonl');
  const monitor = await openJsonlMonitor(metrics);
  const config = resolveConfig({ preset: 'smoke' });
  const input: TrainModelInput = {
    run: 'run',
    name: 'checkpoints/sft',
    examples: await writeRecords(store, 'data/examples.jsonl', examples.slice(0, 30)),
    heldOut: await writeRecords(store, 'data/held-out.jsonl', examples.slice(30)),
    init: null,
    config: { model: { ...config.model, hiddenSize: 32, layers: 1 }, modelThreads: 1, seed: 3 },
    optimiser: { ...config.sft, stepsMin: STEPS, stepsMax: STEPS, tokensPerStep: 200 },
  };
  const activity = (trainer: Trainer) =>
    trainModelActivity({
      store: async () => store,
      scratch: async () => scratch,
      monitor: async () => monitor,
      trainer: () => trainer,
    }).trainModel;
  const attempt = async (trainer: Trainer, onHeartbeat: (details: object) => void = () => undefined) => {
    const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 200 });
    environment.on('heartbeat', onHeartbeat);
    return (await environment.run(activity(trainer), input)) as Trained;
  };
  const logged = async () => {
    await monitor.finalise();
    return Array.fromAsync(readMetrics(metrics));
  };
  return { attempt, scratch, store, logged };
}

/**
 * The embedded trainer, watched; `cutAt` ends its process when that step is reported, or when a state has been copied: then
 * it is lost also where so small a model was trained before a slow disk had the copy.
 */
function trainerOf(seen: number[], cutAt?: number | 'copied'): Trainer {
  const trainer = embeddedTrainer({ threads: 1, keepStateMs: 0 });
  return {
    async train(request, options: TrainOptions = {}) {
      const cut = new AbortController();
      const isCut = once(cut.signal, 'abort');
      const onKept = async (state: KeptState) => {
        await options.onKept?.(state);
        if (cutAt === 'copied') cut.abort(new Error('the engine was lost'));
      };
      const onProgress = (progress: TrainProgress) => {
        options.onProgress?.(progress);
        seen.push(progress.step);
        if (progress.step === cutAt) cut.abort(new Error('the engine was lost'));
      };
      const result = await trainer.train(request, { ...options, signal: cut.signal, onProgress, onKept });
      if (cutAt !== 'copied') return result;
      await isCut;
      throw cut.signal.reason;
    },
  };
}

async function statesIn(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of store.list('checkpoints/')) if (name.includes('/state/')) found.push(name);
  return found;
}

it('a retry continues from the state of the attempt before it, and ends as one that was not cut off', async () => {
  const first = await setUp();
  await expect(first.attempt(trainerOf([], 40))).rejects.toThrow('the engine was lost');
  expect(await readdir(first.scratch)).toHaveLength(1);
  const seen: number[] = [];
  const resumed = await first.attempt(trainerOf(seen));
  expect(seen[0]).toBeGreaterThan(1);
  expect(seen.at(-1)).toBe(STEPS);
  expect(await readdir(first.scratch)).toEqual([]);

  const second = await setUp();
  const whole = await second.attempt(trainerOf([]));
  expect(resumed.checkpoint.model).toBe(whole.checkpoint.model);
  expect(resumed).toMatchObject({ loss: whole.loss, tokens: whole.tokens, steps: STEPS });

  // On another machine, which has the store only.
  const third = await setUp();
  await expect(third.attempt(trainerOf([], 'copied'))).rejects.toThrow('the engine was lost');
  expect(await statesIn(third.store)).not.toEqual([]);
  await rm(third.scratch, { recursive: true });
  const elsewhere: number[] = [];
  expect((await third.attempt(trainerOf(elsewhere))).checkpoint.model).toBe(whole.checkpoint.model);
  expect(elsewhere[0]).toBeGreaterThan(1);
  expect(await statesIn(third.store)).toEqual([]);

  const metrics = await second.logged();
  const named = (name: string) => metrics.filter((metric) => metric.name === `checkpoints/sft/${name}`);
  for (const name of ['loss', 'gradient_norm', 'tokens_per_second']) expect(named(name)).toHaveLength(STEPS);
  expect(named('held_out_loss').map(({ step }) => step)).toEqual([0, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60]);
  expect(named('held_out_loss').at(-1)!.value).toBeLessThan(named('held_out_loss')[0]!.value);
});

it('takes the state from the store if the trainer cannot use the one on its own disk', async () => {
  const { attempt, scratch, store } = await setUp();
  await expect(attempt(trainerOf([], 'copied'))).rejects.toThrow('the engine was lost');
  const copied = Math.max(...(await statesIn(store)).map((name) => Number(/step-(\d+)/.exec(name)![1])));
  const [work] = await readdir(scratch);
  const file = join(scratch, work!, 'state', 'training-state.bin');
  await truncate(file, 2_000);
  const seen: number[] = [];
  const beginsAnew: Trainer = {
    train: (_, { signal, onProgress } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        onProgress?.({ step: 1, steps: STEPS, loss: 9, gradientNorm: 1, tokensPerSecond: 1, heldOutLoss: null });
      }),
  };
  let trainings = 0;
  const done = await attempt({
    train(...words) {
      trainings += 1;
      return (trainings === 1 ? beginsAnew : trainerOf(seen)).train(...words);
    },
  });
  expect(done.steps).toBe(STEPS);
  expect(trainings).toBe(2);
  expect(seen[0]).toBe(copied + 1);
});

it('a store that takes no states does not end a training', async () => {
  const { attempt, store } = await setUp();
  const reported: object[] = [];
  const putFile = store.putFile;
  store.putFile = async (name, ...rest) => {
    if (name.includes('/state/')) throw new Error('the bucket is full');
    return putFile(name, ...rest);
  };
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const slow: Trainer = {
    async train(...words) {
      const result = await trainerOf([]).train(...words);
      // However fast it was: a heartbeat has carried what became of the state.
      await told;
      return result;
    },
  };
  const done = await attempt(slow, (details) => {
    reported.push(details);
    if ('stateInStore' in details) tell();
  });
  expect(done.steps).toBe(STEPS);
  expect(reported).toContainEqual(
    expect.objectContaining({ stateInStore: { step: null, problem: 'the bucket is full' } }),
  );
});

it('a training that is done is not done again', async () => {
  const { attempt, scratch } = await setUp();
  const done = await attempt(trainerOf([]));
  expect(await attempt({ train: () => Promise.reject(new Error('must not train')) })).toEqual(done);
  expect(existsSync(scratch) && (await readdir(scratch)).length > 0).toBe(false);
});
