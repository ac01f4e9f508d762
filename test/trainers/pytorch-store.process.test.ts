/**
 * Tests a PyTorch training whose node is lost: its processes are killed and its disk is gone. Another node continues
 * from the state in the store and reaches the same weights. Costs about 25 s of CPU (PyTorch is loaded four times).
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PytorchEngine, resolveConfig } from '@stp/config';
import { trainerEngineSchema } from '@stp/config/testing';
import { type KeptState, pytorchTrainer, type Trainer } from '@stp/language-model';
import { EXAMPLES, TRAINED_SHAPE as SMALL_SHAPE } from '@stp/language-model/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, onTestFinished } from 'vitest';
import { trainModelActivity } from '../../activities/host/train-model.ts';
import { writeRecords } from '../../activities/records/record-files.ts';
import type { Trained, TrainModelInput } from '../../activities/training/training.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { interpreter, skipsPython } from '../python/python.ts';
import { silentMonitor } from '../support/node-worker.ts';
import { killMarked } from '../support/processes.ts';

const skipped = skipsPython('a PyTorch training whose node is lost');
const RUN = `pytorch-store-test-${process.pid}`;
const STEPS = 40;

const engine: PytorchEngine = {
  ...(trainerEngineSchema.parse({ kind: 'pytorch' }) as PytorchEngine),
  python: interpreter,
  device: 'cpu',
  precision: 'float32',
  microBatchTokens: 256,
  keepStateSeconds: 0,
};

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'stp-pytorch-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const store = await openStore(pathToFileURL(join(directory, 'store')).href);
  const { sft } = resolveConfig({ preset: 'smoke' });
  const input: TrainModelInput = {
    run: 'run',
    name: 'checkpoints/sft',
    examples: await writeRecords(store, 'data/examples.jsonl', EXAMPLES.slice(0, 50)),
    heldOut: null,
    init: null,
    config: { model: { ...SMALL_SHAPE, tiedEmbeddings: true }, modelThreads: 1, seed: 3 },
    optimiser: { ...sft, stepsMin: STEPS, stepsMax: STEPS, tokensPerStep: 400 },
  };
  /** The machines follow one another, and none has the disk of an earlier one. */
  const attempt = async (machine: string, onCopied: (state: KeptState) => void = () => undefined) => {
    const seen: number[] = [];
    const trainer: Trainer = {
      train: (request, { onKept, onProgress, ...rest } = {}) =>
        pytorchTrainer({ engine, threads: 1, runMark: RUN }).train(request, {
          ...rest,
          onProgress: (progress) => {
            onProgress?.(progress);
            seen.push(progress.step);
          },
          onKept: async (state) => {
            await onKept?.(state);
            onCopied(state);
          },
        }),
    };
    const { trainModel } = trainModelActivity({
      store: async () => store,
      scratch: async () => join(directory, machine),
      monitor: silentMonitor,
      trainer: () => trainer,
    });
    const trained: unknown = await new MockActivityEnvironment()
      .run(trainModel, input)
      .catch((error: unknown) => error);
    return { trained, seen };
  };
  const states = async () => {
    const found: string[] = [];
    for await (const { name } of store.list('checkpoints/')) if (name.includes('/state/')) found.push(name);
    return found;
  };
  return { attempt, states };
}

it.skipIf(skipped)('a training goes on elsewhere from the state in the store', async () => {
  const { attempt, states } = await setUp();
  const copied: number[] = [];
  const lost = await attempt('first', ({ step }) => {
    copied.push(step);
    if (copied.length === 2) killMarked(RUN);
  });
  expect(lost.trained).toMatchObject({ code: 'STP1301', retryable: true });
  expect((await states()).filter((name) => name.endsWith('whole.json'))).toHaveLength(2);
  const resumed = await attempt('second');
  // Another may have been announced before it was killed.
  expect(resumed.seen[0]).toBe(copied.at(-1)! + 1);
  expect(resumed.seen.at(-1)).toBe(STEPS);
  expect(await states()).toEqual([]);

  const undisturbed = await (await setUp()).attempt('alone');
  expect(undisturbed.seen[0]).toBe(1);
  const { checkpoint, loss, tokens } = undisturbed.trained as Trained;
  expect(resumed.trained).toMatchObject({ checkpoint: { model: checkpoint.model }, loss, tokens, steps: STEPS });
});
