/**
 * The embedded trainer on models of other people: gradients, ten steps of AdamW and the written checkpoint beside PyTorch and
 * transformers, whose rows are padded and not packed. Costs about a minute of CPU where PyTorch is installed.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EXAMPLES,
  learningRateAt,
  lossAndGradient,
  packedBatch,
  packRows,
  parameterView,
  plainEngine,
  readModel,
  readSafetensors,
  relativeError,
  type TrainRequest,
  trainInProcess,
  weighted,
  writeTokenizer,
} from '@stp/language-model/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOREIGN_MODELS, tokenizer } from './foreign-models.ts';
import { runPython, skipsPython } from './python.ts';

/** float32 on both sides, in other orders of summation; AdamW divides small gradients by their own size. */
const GRADIENT_DIFFERENCE_MAX = 1e-4;
const LOSS_DIFFERENCE_MAX = 1e-4;
const WEIGHT_DIFFERENCE_MAX = 1e-3;
const CONTEXT_LENGTH = 96;
const RECIPE = {
  ...{ steps: 10, learningRate: 1e-3, warmupSteps: 3, weightDecay: 0.1, gradientClipNorm: 0.5 },
  schedule: 'linear' as const,
};

const examples = EXAMPLES.slice(0, 9).map(({ prompt, target, weight }) => {
  const prompted = tokenizer.encodePrompt(prompt);
  const tokens = [...prompted, ...tokenizer.encode(target), tokenizer.endId];
  return { tokens, promptLength: prompted.length, weight };
});
const allTokens = examples.reduce((total, { tokens }) => total + tokens.length, 0);

interface Look {
  readonly loss: number;
  readonly dtype: string;
  readonly family: string;
  readonly complaints: readonly string[];
  readonly tokens: readonly number[];
  readonly files: readonly string[];
}

describe.skipIf(skipsPython('training of models of other people'))('trained here as by PyTorch', () => {
  const names = Object.keys(FOREIGN_MODELS);
  let parent: string;
  let losses: readonly (readonly number[])[];
  /** Loss of the finished model on the examples, as the trainer says. */
  const finished = new Map<string, number | null>();
  const folderOf = (name: string): string => join(parent, name);
  const outputOf = (name: string): string => join(parent, `${name}, trained`);

  async function requestFor(name: string, changes: Partial<TrainRequest> = {}): Promise<TrainRequest> {
    const { shape } = await readModel(folderOf(name));
    return {
      ...RECIPE,
      examplesPath: join(parent, 'examples.jsonl'),
      initDirectory: folderOf(name),
      shape: { ...shape, contextLength: CONTEXT_LENGTH },
      outputDirectory: outputOf(name),
      // Every step has all examples.
      tokensPerStep: allTokens,
      seed: 3,
      stateDirectory: null,
      heldOutPath: join(parent, 'examples.jsonl'),
      heldOutEverySteps: 100,
      ...changes,
    };
  }

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'stp-foreign-'));
    const lines = EXAMPLES.slice(0, 9).map((example) => `${JSON.stringify(example)}\n`);
    await writeFile(join(parent, 'examples.jsonl'), lines.join(''));
    const rates = Array.from({ length: RECIPE.steps }, (_, index) => learningRateAt(index + 1, RECIPE));
    const folders = names.map((name) => ({ directory: folderOf(name), make: FOREIGN_MODELS[name] }));
    losses = (await runPython('foreign_training.py', {
      folders,
      examples,
      recipe: { ...RECIPE, rates },
    })) as number[][];
    for (const name of names) await writeFile(join(folderOf(name), 'tokenizer.json'), writeTokenizer(tokenizer));
  }, 600_000);
  afterAll(() => rm(parent, { recursive: true, force: true }));

  const theirs = async (name: string, what: string) =>
    readSafetensors(await readFile(`${folderOf(name)}-${what}.safetensors`), what);

  it.each(names)('%s', { timeout: 120_000 }, async (name) => {
    const { shape, constants, tensors } = await readModel(folderOf(name));
    const engine = plainEngine({ ...shape, contextLength: CONTEXT_LENGTH }, undefined, constants);
    const flat = new Float32Array(engine.layout.size);
    for (const { name: tensor, offset } of engine.layout.entries) flat.set(tensors.get(tensor)!.values, offset);
    const batches = packRows(weighted(examples), CONTEXT_LENGTH).map(({ rows, rowLength }) =>
      packedBatch(rows, rowLength),
    );
    expect(batches.length).toBeGreaterThan(1);
    const { gradient } = await lossAndGradient(engine, flat, ...batches);
    await engine.close();
    const slopes = await theirs(name, 'gradient');
    for (const entry of engine.layout.entries)
      expect(relativeError(parameterView(gradient, entry), slopes.get(entry.name)!.values), entry.name).toBeLessThan(
        GRADIENT_DIFFERENCE_MAX,
      );

    const seen: number[] = [];
    const onProgress = ({ loss }: { readonly loss: number }) => void seen.push(loss);
    const { heldOutLoss } = await trainInProcess(await requestFor(name), { threads: 1, onProgress });
    finished.set(name, heldOutLoss);
    const expected = losses[names.indexOf(name)]!;
    expect(expected.at(-1)!).toBeLessThan(0.95 * expected[0]!);
    for (const [step, loss] of seen.entries())
      expect(Math.abs(loss - expected[step]!), `step ${step + 1}`).toBeLessThan(LOSS_DIFFERENCE_MAX);
    const trained = await readModel(outputOf(name));
    const weights = await theirs(name, 'trained');
    expect([...trained.tensors.keys()].sort()).toEqual([...weights.keys()].sort());
    for (const [tensor, { values }] of trained.tensors)
      expect(relativeError(values, weights.get(tensor)!.values), tensor).toBeLessThan(WEIGHT_DIFFERENCE_MAX);
  });

  it('the checkpoints load in transformers as they are', { timeout: 300_000 }, async () => {
    const text = EXAMPLES[0]!.prompt;
    const checkpoints = names.map(outputOf);
    const looks = (await runPython('foreign_training.py', { checkpoints, examples, text })) as Look[];
    for (const [index, name] of names.entries()) {
      const { loss, ...look } = looks[index]!;
      const family = FOREIGN_MODELS[name]!.family;
      expect(look, name).toMatchObject({
        dtype: 'torch.float32',
        family,
        complaints: [],
        tokens: tokenizer.encode(text),
      });
      expect(look.files, name).toContain('model.safetensors');
      expect(Math.abs(loss - finished.get(name)!), name).toBeLessThan(LOSS_DIFFERENCE_MAX);
      const [before, after] = await Promise.all(
        [folderOf(name), outputOf(name)].map(async (folder) =>
          JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')),
        ),
      );
      expect(after, name).toEqual({ ...before, dtype: 'float32' });
    }
  });
});
