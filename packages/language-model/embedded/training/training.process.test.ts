/** Training as a whole, on small models: it learns, repeats bit for bit, starts from a checkpoint, refuses what is wrong.
 *  Costs about 20 s. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { Example } from '@stp/config/records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeCheckpoint } from '../../checkpoint/checkpoint.ts';
import { readModel } from '../../checkpoint/model-folder.ts';
import { SMALL_SHAPE } from '../../testing/small-model.ts';
import type { TrainProgress, TrainRequest } from '../../trainer.ts';
import { trainInProcess } from './train.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-training-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const TACTICS = ['omega', 'simp', 'decide', 'rfl', 'exact h', 'intro h; exact h', 'induction n <;> simp_all'];
const EXAMPLES: readonly Example[] = Array.from({ length: 20 }, (_, index) => ({
  prompt: `<prove>(a b : Nat) : a + ${index} = b + ${(index * 7) % 10}<by>`,
  target: TACTICS[(index * 3) % TACTICS.length]!,
  weight: 0.5 + (index % 3),
  role: 'prover',
}));

let files = 0;
async function write(lines: readonly unknown[]): Promise<string> {
  const path = join(folder, `examples-${files++}.jsonl`);
  await writeFile(
    path,
    `${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`,
  );
  return path;
}

function request(examplesPath: string, changes: Partial<TrainRequest> = {}): TrainRequest {
  return {
    examplesPath,
    initDirectory: null,
    shape: SMALL_SHAPE,
    outputDirectory: join(folder, `out-${files++}`),
    steps: 6,
    tokensPerStep: 300,
    learningRate: 1e-2,
    warmupSteps: 3,
    schedule: 'linear',
    weightDecay: 0.01,
    gradientClipNorm: 1,
    seed: 5,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: 4,
    ...changes,
  };
}

const weightsOf = (directory: string) => readFile(join(directory, 'model.safetensors'));

async function failure(promise: Promise<unknown>): Promise<StpError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StpError)) throw new Error(`expected an StpError, got ${String(error)}`);
  return error;
}

describe('learning', () => {
  test('twenty examples are learnt by heart', async () => {
    const progress: TrainProgress[] = [];
    const asked = request(await write(EXAMPLES), { steps: 80, tokensPerStep: 500 });
    const result = await trainInProcess(asked, { threads: 1, onProgress: (step) => progress.push(step) });
    expect(progress.map(({ step }) => step)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
    // An untrained model is near the logarithm of the vocabulary.
    expect(progress[0]!.loss).toBeGreaterThan(4);
    expect(result.finalLoss).toBeLessThan(0.05);
    const { training, shape, tokenizer } = await readModel(asked.outputDirectory);
    expect(shape).toEqual(asked.shape);
    expect(tokenizer.size).toBeLessThanOrEqual(300);
    expect(training).toMatchObject({
      steps: 80,
      seed: 5,
      parent: null,
      tokens: result.tokens,
      finalLoss: result.finalLoss,
    });
  });

  test('a head of its own learns too', async () => {
    const shape = { ...SMALL_SHAPE, tiedEmbeddings: false };
    const asked = request(await write(EXAMPLES), { shape, steps: 40, tokensPerStep: 500 });
    expect((await trainInProcess(asked, { threads: 1 })).finalLoss).toBeLessThan(0.5);
    const { shape: written, tensors } = await readModel(asked.outputDirectory);
    expect(written.tiedEmbeddings).toBe(false);
    expect(tensors.get('lm_head.weight')!.shape).toEqual([300, 32]);
  });

  test('an example of weight zero is not learnt, one of higher weight is learnt sooner', async () => {
    const prompt = '<prove>p<by>';
    const example = (target: string, weight: number): Example => ({ prompt, target, weight, role: 'prover' });
    const asked = request(await write([example('omega', 3), example('decide', 1), example('simp', 0)]), { steps: 60 });
    await trainInProcess(asked, { threads: 1 });
    // The best a model can do at the first token is the mixture 3 : 1; later tokens are certain.
    const { training } = await readModel(asked.outputDirectory);
    const lengths = await lengthsOf(asked.outputDirectory, ['omega', 'decide', 'simp']);
    const entropy = 3 * Math.log(4 / 3) + Math.log(4);
    const best = entropy / (3 * lengths[0]! + lengths[1]!);
    expect(training!.finalLoss).toBeGreaterThan(0.98 * best);
    expect(training!.finalLoss).toBeLessThan(1.1 * best);
  });
});

/** Tokens of each target, end-of-text included. */
async function lengthsOf(directory: string, targets: readonly string[]): Promise<number[]> {
  const { tokenizer } = await readModel(directory);
  return targets.map((target) => tokenizer.encode(target).length + 1);
}

describe('held-out examples', () => {
  test('are scored at the start, every so many steps and at the end, and change no weight', async () => {
    const examplesPath = await write(EXAMPLES.slice(0, 14));
    const plain = request(examplesPath, { steps: 9, tokensPerStep: 200 });
    await trainInProcess(plain, { threads: 1 });
    const asked = {
      ...plain,
      outputDirectory: join(folder, `out-${files++}`),
      heldOutPath: await write(EXAMPLES.slice(14)),
    };
    const scored: [number, number][] = [];
    const result = await trainInProcess(asked, {
      threads: 1,
      onProgress: ({ step, heldOutLoss }) => {
        if (heldOutLoss !== null) scored.push([step, heldOutLoss]);
      },
    });
    expect(scored.map(([step]) => step)).toEqual([1, 5, 9]);
    expect(scored[0]![1]).toBeGreaterThan(4);
    expect(result.heldOutLoss).toBeLessThan(scored[0]![1]);
    expect((await weightsOf(asked.outputDirectory)).equals(await weightsOf(plain.outputDirectory))).toBe(true);
  });

  test('have the loss that training has on the same weights', async () => {
    const examplesPath = await write(EXAMPLES.slice(0, 1));
    const asked = request(examplesPath, { steps: 2, heldOutPath: examplesPath, heldOutEverySteps: 1 });
    const seen: TrainProgress[] = [];
    await trainInProcess(asked, { threads: 1, onProgress: (progress) => seen.push(progress) });
    for (const { heldOutLoss, loss } of seen) expect(heldOutLoss).toBeCloseTo(loss, 4);
    expect(seen[1]!.loss).not.toBeCloseTo(seen[0]!.loss, 4);
  });

  test('that are all too long for the context are counted, and leave the training without a held-out loss', async () => {
    const heldOutPath = await write([{ ...EXAMPLES[0], target: 'α '.repeat(100) }]);
    const result = await trainInProcess(
      request(await write(EXAMPLES), { heldOutPath, steps: 2, heldOutEverySteps: 1 }),
    );
    expect(result).toMatchObject({ steps: 2, heldOutLoss: null, heldOutTooLong: 1 });
  });
});

describe('the same request', () => {
  // Wide enough that ONNX Runtime does share its matrix products out to two threads.
  const wide = { ...SMALL_SHAPE, hiddenSize: 128, feedForwardSize: 256 };

  test.for([1, 2])('gives the same bits again with %i thread(s)', async (threads) => {
    const path = await write(EXAMPLES);
    const ask = (seed: number) => request(path, { shape: wide, tokensPerStep: 1000, steps: 4, seed });
    const [first, second, other] = [ask(5), ask(5), ask(6)];
    for (const asked of [first, second, other]) await trainInProcess(asked, { threads });
    const weights = await weightsOf(first.outputDirectory);
    expect((await weightsOf(second.outputDirectory)).equals(weights)).toBe(true);
    expect((await weightsOf(other.outputDirectory)).equals(weights)).toBe(false);
  });

  test('gives the same bits however many steps are run in one call', async () => {
    const path = await write(EXAMPLES);
    // 300 tokens a step are two micro-batches of rows of different length.
    const weights: Buffer[] = [];
    const losses: number[][] = [];
    for (const stepsPerCall of [1, 3, 7]) {
      const asked = request(path, { steps: 7, tokensPerStep: 300 });
      const seen: number[] = [];
      await trainInProcess(asked, { threads: 1, stepsPerCall, onProgress: ({ loss }) => seen.push(loss) });
      weights.push(await weightsOf(asked.outputDirectory));
      losses.push(seen);
    }
    expect(weights[1]!.equals(weights[0]!)).toBe(true);
    expect(weights[2]!.equals(weights[0]!)).toBe(true);
    expect(losses[1]).toEqual(losses[0]);
    expect(losses[2]).toEqual(losses[0]);
  });
});

describe('starting from a checkpoint', () => {
  test('keeps its tokenizer, names it as parent and goes on from its loss', async () => {
    const base = request(await write(EXAMPLES), { steps: 40, tokensPerStep: 500 });
    await trainInProcess(base, { threads: 1 });
    const parent = await readModel(base.outputDirectory);
    const losses: number[] = [];
    const next = request(base.examplesPath, {
      initDirectory: base.outputDirectory,
      tokensPerStep: 500,
      learningRate: 1e-4,
    });
    await trainInProcess(next, { threads: 1, onProgress: ({ loss }) => losses.push(loss) });
    const child = await readModel(next.outputDirectory);
    expect(child.training!.parent).toBe(parent.model);
    expect(child.tokenizer.vocabulary).toEqual(parent.tokenizer.vocabulary);
    expect(losses[0]).toBeLessThan(2 * parent.training!.finalLoss! + 0.5);
  });

  test('of another shape is refused', async () => {
    const base = request(await write(EXAMPLES), { steps: 1 });
    await trainInProcess(base, { threads: 1 });
    const shape = { ...SMALL_SHAPE, layers: 3 };
    const error = await failure(
      trainInProcess(request(base.examplesPath, { initDirectory: base.outputDirectory, shape })),
    );
    expect(error).toMatchObject({ code: 'STP1002', message: expect.stringContaining('layers is 2, asked for 3') });
  });

  test('whose weights overflow the loss is refused at its first step, and nothing is written', async () => {
    const base = request(await write(EXAMPLES), { steps: 1 });
    await trainInProcess(base, { threads: 1 });
    const checkpoint = await readModel(base.outputDirectory);
    const huge = new Map(
      [...checkpoint.tensors].map(([name, { shape, values }]) => [
        name,
        { shape, values: values.map((x) => x * 1e30) },
      ]),
    );
    const directory = join(folder, 'huge');
    await writeCheckpoint(directory, { ...checkpoint, training: checkpoint.training!, tensors: huge });
    const asked = request(base.examplesPath, { initDirectory: directory });
    const error = await failure(trainInProcess(asked, { threads: 1 }));
    expect(error).toMatchObject({ code: 'STP1301', message: expect.stringContaining('step 1') });
    await expect(readdir(asked.outputDirectory)).rejects.toThrow('ENOENT');
  });
});

describe('what is refused', () => {
  const [good] = EXAMPLES;
  test.for([
    { name: 'a line that is not JSON', lines: [good, '{"prompt":'], message: ':2: not JSON' },
    { name: 'an unknown key', lines: [good, good, { ...good, extra: 1 }], message: ':3: ' },
    { name: 'a negative weight', lines: [{ ...good, weight: -1 }], message: ':1: ' },
    { name: 'an empty prompt', lines: [{ ...good, prompt: '' }], message: ':1: the prompt is empty' },
    { name: 'a line without end', lines: [good, 'x'.repeat(2 ** 21)], message: ':2: longer than' },
  ])('$name, by line', async ({ lines, message }) => {
    const path = await write(lines);
    const error = await failure(trainInProcess(request(path)));
    expect(error).toMatchObject({ code: 'STP1501', message: expect.stringContaining(`${path}${message}`) });
  });

  test('a file without an example that fits', async () => {
    const path = await write([{ ...good, target: 'α '.repeat(100) }]);
    const error = await failure(trainInProcess(request(path)));
    expect(error).toMatchObject({ code: 'STP1002', message: expect.stringContaining('1 are longer than the context') });
  });

  test('zero steps and an impossible shape', async () => {
    const path = await write(EXAMPLES);
    expect((await failure(trainInProcess(request(path, { steps: 0 })))).code).toBe('STP1002');
    const shape = { ...SMALL_SHAPE, keyValueHeads: 3 };
    expect((await failure(trainInProcess(request(path, { shape })))).code).toBe('STP1002');
  });
});

test('examples longer than the context are left out and counted', async () => {
  const long = { ...EXAMPLES[0], target: 'omega '.repeat(200) };
  const result = await trainInProcess(request(await write([long, ...EXAMPLES, long]), { steps: 1 }), { threads: 1 });
  expect(result.tooLong).toBe(2);
});

test('an abort stops between two steps and writes nothing', async () => {
  const controller = new AbortController();
  const seen: number[] = [];
  const asked = request(await write(EXAMPLES), { steps: 50 });
  const onProgress = ({ step }: TrainProgress) => {
    seen.push(step);
    if (step === 3) controller.abort(new Error('enough'));
  };
  await expect(trainInProcess(asked, { threads: 1, signal: controller.signal, onProgress })).rejects.toThrow('enough');
  expect(seen).toEqual([1, 2, 3]);
  await expect(readdir(asked.outputDirectory)).rejects.toThrow('ENOENT');
});
