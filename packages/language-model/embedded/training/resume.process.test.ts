/**
 * Tests that a killed and restarted training gives the same weights, bit for bit, as a reference training. Real
 * processes are killed with SIGKILL, first the engine's and then its parent. Also tests the state file. Costs about 8
 * s.
 */

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { identify, isRunning } from '@stp/base/files';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SMALL_SHAPE } from '../../testing/small-model.ts';
import type { TrainRequest } from '../../trainer.ts';
import { StateFile } from './state-file.ts';
import { trainInProcess } from './train.ts';
import { freshState, TRAINING_START } from './training-state.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const STEPS = 400;
const POLL_MS = 5;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-resume-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let files = 0;
async function request(changes: Partial<TrainRequest> = {}): Promise<TrainRequest> {
  const name = files++;
  const examplesPath = join(folder, `examples-${name}.jsonl`);
  const examples = Array.from({ length: 30 }, (_, index) =>
    JSON.stringify({
      prompt: `<prove>${index} + a = b<by>`,
      target: index % 3 ? 'omega' : 'simp',
      weight: 1,
      role: 'prover',
    }),
  );
  await writeFile(examplesPath, examples.join('\n'));
  return {
    examplesPath,
    initDirectory: null,
    shape: SMALL_SHAPE,
    outputDirectory: join(folder, `out-${name}`),
    steps: STEPS,
    tokensPerStep: 200,
    learningRate: 1e-3,
    warmupSteps: 3,
    schedule: 'linear',
    weightDecay: 0.01,
    gradientClipNorm: 1,
    seed: 5,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: 100,
    ...changes,
  };
}

/** Returns the number of steps in the stored state; 0 if there is none. */
function keptSteps(stateDirectory: string): number {
  const path = join(stateDirectory, 'training-state.bin');
  if (!existsSync(path)) return 0;
  return JSON.parse(readFileSync(path).subarray(0, 1024).toString()).progress.step;
}

const start = (asked: TrainRequest) =>
  execa(
    process.execPath,
    [fileURLToPath(import.meta.resolve('../../testing/trainer-main.ts')), JSON.stringify(asked)],
    {
      reject: false,
    },
  );

const childOf = async (pid: number): Promise<number> => {
  for (;;) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    if (children.trim() !== '') return Number(children.trim().split(' ')[0]);
    await delay(POLL_MS);
  }
};
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(POLL_MS);
}

test('a training killed twice ends with the weights of one that was not', { tags: ['slow'] }, async () => {
  const plain = await request();
  await trainInProcess(plain, { threads: 1 });
  const stateDirectory = join(folder, 'state');
  // Another file with the same examples: what counts is what is in it.
  const asked = await request({ stateDirectory });

  const first = start(asked);
  const engine = await childOf(first.pid!);
  await until(() => keptSteps(stateDirectory) > 0);
  process.kill(engine, 'SIGKILL');
  expect((await first).stdout).toMatch(/failed model engine process \d+ was killed/);
  const keptFirst = keptSteps(stateDirectory);

  const second = start(asked);
  const orphan = await identify(await childOf(second.pid!));
  await until(() => keptSteps(stateDirectory) > keptFirst);
  process.kill(second.pid!, 'SIGKILL');
  await second;
  // A process for which nobody waits may remain as a zombie.
  await until(async () => !(await isRunning(orphan)));
  const keptSecond = keptSteps(stateDirectory);
  expect(keptSecond).toBeLessThan(STEPS);
  expect(existsSync(asked.outputDirectory)).toBe(false);

  const { stdout } = await start(asked);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe(`step ${keptSecond + 1}`);
  expect(lines.at(-1)).toBe('trained');
  for (const name of ['model.safetensors', 'training.json']) {
    const [disturbed, undisturbed] = await Promise.all(
      [asked, plain].map(({ outputDirectory }) => readFile(join(outputDirectory, name))),
    );
    expect(disturbed!.equals(undisturbed!), name).toBe(true);
  }
  expect(await readdir(stateDirectory)).toEqual(['training-state.bin']);
});

test.for([
  { name: 'another recipe', changes: { learningRate: 2e-3 } },
  { name: 'other steps', changes: { steps: 4 } },
  { name: 'another seed', changes: { seed: 6 } },
])('the state of $name is ignored, and then replaced', async ({ changes }) => {
  const stateDirectory = join(folder, `state-${files++}`);
  const once = { threads: 1, keepStateMs: 0 };
  await trainInProcess(await request({ stateDirectory, steps: 5 }), once);
  const before = await readFile(join(stateDirectory, 'training-state.bin'));
  const other = await request({ stateDirectory, steps: 5, ...changes });
  const seen: number[] = [];
  await trainInProcess(other, { ...once, onProgress: ({ step }) => seen.push(step) });
  expect(seen[0]).toBe(1);
  expect((await readFile(join(stateDirectory, 'training-state.bin'))).equals(before)).toBe(false);
});

describe('the state file', () => {
  const progress = {
    ...TRAINING_START,
    step: 3,
    cursor: { epoch: 1, offset: 2 },
    tokens: 700,
    finalLossSum: 0.1 + 0.2,
  };
  const request = 'a'.repeat(64);
  const filled = (value: number) => {
    const state = freshState(new Float32Array(10).fill(value));
    state.firstMoment.fill(2 * value);
    state.secondMoment.fill(3 * value);
    return state;
  };

  async function saved(): Promise<{ directory: string; path: string; file: StateFile }> {
    const directory = join(folder, `file-${files++}`);
    const file = await StateFile.open(directory, request);
    await file.save(filled(7), progress);
    return { directory, path: join(directory, 'training-state.bin'), file };
  }

  test('gives back what it was given', async () => {
    const { file } = await saved();
    const state = filled(0);
    expect(await file.load(state)).toEqual(progress);
    expect(state).toEqual(filled(7));
  });

  test.for([
    { name: 'cut short', damage: (path: string) => truncate(path, 1100) },
    { name: 'empty', damage: (path: string) => truncate(path, 0) },
    { name: 'no JSON', damage: (path: string) => writeFile(path, 'x'.repeat(2000)) },
    {
      name: 'altered by one bit',
      damage: async (path: string) => {
        const file = await open(path, 'r+');
        await file.write(Buffer.from([1]), 0, 1, 1050);
        await file.close();
      },
    },
  ])('$name counts for nothing and leaves the weights alone', async ({ damage }) => {
    const { path, file } = await saved();
    await damage(path);
    const state = filled(1);
    expect(await file.load(state)).toBeNull();
    expect(state).toEqual(filled(1));
  });

  test('of another request or size counts for nothing', async () => {
    const { directory, file } = await saved();
    const other = await StateFile.open(directory, 'b'.repeat(64));
    expect(await other.load(filled(1))).toBeNull();
    expect(await file.load(freshState(new Float32Array(11)))).toBeNull();
  });

  test('leaves nothing half-written behind for long, and says so where the folder cannot be used', async () => {
    const { directory } = await saved();
    await writeFile(join(directory, 'training-state.bin.partial-00'), 'torn');
    await StateFile.open(directory, request);
    expect(await readdir(directory)).toEqual(['training-state.bin']);
    const blocked = join(folder, `blocked-${files++}`);
    await writeFile(blocked, '');
    await expect(StateFile.open(join(blocked, 'state'), request)).rejects.toMatchObject({
      code: 'STP1401',
      retryable: true,
    });
    const removed = await StateFile.open(join(folder, 'removed'), request);
    await rm(join(folder, 'removed'), { recursive: true });
    await expect(removed.save(filled(1), progress)).rejects.toMatchObject({ code: 'STP1401' });
  });
});
