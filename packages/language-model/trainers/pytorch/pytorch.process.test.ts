/**
 * Tests the PyTorch trainer on the CPU or on a GPU (`STP_TEST_DEVICE=cuda`). It has the losses of the embedded trainer,
 * and its checkpoints load and sample. An interrupted training resumes, also with more or fewer processes. Other tests:
 * models of other families, adapters, refusals. Costs about 5 min of CPU if PyTorch is installed (it and transformers
 * are loaded some thirty times).
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import type { PytorchEngine } from '@stp/config';
import { trainerEngineSchema } from '@stp/config/testing';
import { describe, expect, it, vi } from 'vitest';
import { canTrainTogether, device, interpreter, runPython, skipsPython } from '../../../../test/python/python.ts';
import { markedProcesses } from '../../../../test/support/processes.ts';
import { readManifest } from '../../checkpoint/checkpoint.ts';
import { readModel } from '../../checkpoint/model-folder.ts';
import { readSafetensors, type Tensor } from '../../checkpoint/safetensors.ts';
import { embeddedGenerator, embeddedTrainer } from '../../embedded/engine.ts';
import { makeFreshCheckpoint } from '../../embedded/fresh-checkpoint.ts';
import { type SmallTraining, smallTraining } from '../../testing/small-training.ts';
import type { KeptState } from '../../trainer.ts';
import { pytorchTrainer } from './trainer.ts';

const skipped = skipsPython('training with PyTorch');
if (device === 'cpu')
  console.log('skipped: training on a GPU (STP_TEST_DEVICE=cuda has all of these tests run on one)');
if (!canTrainTogether) console.log('skipped: trainings by several processes (this machine has one GPU)');
/** Time limit: each training loads PyTorch and transformers, which takes half a minute on a busy machine. */
vi.setConfig({ testTimeout: 400_000 });
const RUN = `pytorch-test-${process.pid}`;

const engine = (changes: Partial<PytorchEngine> = {}): PytorchEngine => ({
  ...(trainerEngineSchema.parse({ kind: 'pytorch' }) as PytorchEngine),
  python: interpreter,
  device,
  precision: 'float32',
  microBatchTokens: 256,
  keepStateSeconds: 0,
  ...changes,
});

function train({ request, seen }: SmallTraining, changes: Partial<PytorchEngine> = {}, signal?: AbortSignal) {
  const trainer = pytorchTrainer({ engine: engine(changes), threads: 1, runMark: RUN });
  const onProgress = (progress: (typeof seen)[number]) => void seen.push(progress);
  return trainer.train(request, { onProgress, ...(signal !== undefined && { signal }) });
}

/** Trains until the first state is saved. */
async function stopAfterState({ request, seen }: SmallTraining, changes: Partial<PytorchEngine>): Promise<void> {
  const stop = new AbortController();
  const trainer = pytorchTrainer({ engine: engine(changes), threads: 1, runMark: RUN });
  const onKept = async (): Promise<void> => {
    stop.abort(new Error('the node was taken away'));
    await new Promise(() => undefined);
  };
  const onProgress = (progress: (typeof seen)[number]) => void seen.push(progress);
  await expect(trainer.train(request, { signal: stop.signal, onKept, onProgress })).rejects.toThrow('taken away');
}

const failureOf = async (work: Promise<unknown>): Promise<StpError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StpError);
  return error as StpError;
};

const LORA: NonNullable<PytorchEngine['lora']> = { rank: 4, alpha: 8, targets: [], quantised: false, output: 'merged' };

/** Makes a whole model of another family with our tokenizer. */
async function folderOf(family: string, changes: Record<string, unknown> = {}): Promise<string> {
  const { request, directory } = await smallTraining();
  const fresh = join(directory, 'fresh');
  await makeFreshCheckpoint(request, fresh);
  const { vocab_size, eos_token_id } = JSON.parse(await readFile(join(fresh, 'config.json'), 'utf8'));
  const sizes = { hidden_size: 32, intermediate_size: 48, num_hidden_layers: 2, num_attention_heads: 4 };
  const more = { num_key_value_heads: 2, head_dim: 8, max_position_embeddings: 128, bos_token_id: null };
  const config = { vocab_size, eos_token_id, pad_token_id: null, ...sizes, ...more, ...changes };
  const made = join(directory, 'made');
  await runPython('make_model.py', { directory: made, family, config, dtype: 'float32', seed: 1, shard: '20KB' });
  await cp(join(fresh, 'tokenizer.json'), join(made, 'tokenizer.json'));
  return made;
}

const tensorsOf = async (folder: string, file = 'model.safetensors') =>
  readSafetensors(await readFile(join(folder, file)), file);

/** Reads the tensors of a folder with sharded weights. */
async function mergedShards(folder: string): Promise<Map<string, Tensor>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.safetensors'));
  return new Map((await Promise.all(names.map((name) => tensorsOf(folder, name)))).flatMap((part) => [...part]));
}

/** Returns the largest difference between two models with the same tensors. */
function distance(one: ReadonlyMap<string, Tensor>, other: ReadonlyMap<string, Tensor>): number {
  expect([...one.keys()].sort()).toEqual([...other.keys()].sort());
  let largest = 0;
  for (const [name, { values }] of one)
    values.forEach((value, index) => {
      largest = Math.max(largest, Math.abs(value - other.get(name)!.values[index]!));
    });
  return largest;
}

const FOUR_BITS = { ...LORA, quantised: true };

async function overFourBits(): Promise<{ readonly base: string; readonly training: SmallTraining }> {
  const base = await folderOf('llama', { tie_word_embeddings: false, hidden_size: 64, head_dim: 16 });
  return { base, training: await smallTraining({ learningRate: 1e-2, steps: 4 }) };
}

/** File of a state that one process wrote. */
const STATE_PART = 'shard-00001-model-00001-of-00001.safetensors';

/** Tolerance for float32 sums in another order, over a dozen steps at a high rate. */
const AFTER_STEPS_DIFFERENCE_MAX = 2e-3;

describe.skipIf(skipped)('the PyTorch trainer', () => {
  it('trains what the embedded trainer trains, and its checkpoint loads and samples', async () => {
    const theirs = await smallTraining();
    const ours = await smallTraining();
    const result = await train(theirs);
    const embedded = await embeddedTrainer({ threads: 1 }).train(ours.request, {
      onProgress: (progress) => void ours.seen.push(progress),
    });
    expect(theirs.seen.map(({ step }) => step)).toEqual(ours.seen.map(({ step }) => step));
    expect(Math.abs(theirs.seen[0]!.loss - ours.seen[0]!.loss)).toBeLessThan(1e-5);
    expect(Math.abs(theirs.seen[0]!.gradientNorm - ours.seen[0]!.gradientNorm)).toBeLessThan(1e-3);
    expect(Math.abs(theirs.seen[0]!.heldOutLoss! - ours.seen[0]!.heldOutLoss!)).toBeLessThan(1e-4);
    theirs.seen.forEach(({ loss, heldOutLoss }, index) => {
      expect(Math.abs(loss - ours.seen[index]!.loss)).toBeLessThan(AFTER_STEPS_DIFFERENCE_MAX);
      expect(heldOutLoss === null).toBe(ours.seen[index]!.heldOutLoss === null);
    });
    expect(result).toMatchObject({ steps: embedded.steps, tokens: embedded.tokens, tooLong: embedded.tooLong });
    expect(Math.abs(result.finalLoss - embedded.finalLoss)).toBeLessThan(AFTER_STEPS_DIFFERENCE_MAX);
    expect(result.finalLoss).toBeLessThan(theirs.seen[0]!.loss - 0.5);

    const checkpoint = await readModel(theirs.request.outputDirectory);
    const reference = await readModel(ours.request.outputDirectory);
    expect(checkpoint.shape).toEqual(reference.shape);
    expect(checkpoint.training).toMatchObject({ seed: 7, steps: 12, parent: null, tokens: result.tokens });
    expect(distance(checkpoint.tensors, reference.tensors)).toBeLessThan(0.02);
    const generator = await embeddedGenerator({ threads: 1 })(theirs.request.outputDirectory);
    const sampling = { temperature: 1, topP: 1, maxTokens: 16 };
    const [sample] = await generator.sample([{ id: 'a', prompt: '<prove>(n : Nat) : n = n<by>', seed: 1 }], sampling);
    await generator.close();
    expect(sample!.tokens).toBeGreaterThan(0);
    expect(await readdir(theirs.directory)).not.toContain('checkpoint.pytorch');

    // The next training starts from that checkpoint: it is the parent, and the first loss is that of its weights.
    const next = await smallTraining({ initDirectory: theirs.request.outputDirectory, steps: 1 });
    await train(next);
    expect((await readModel(next.request.outputDirectory)).training!.parent).toBe(checkpoint.model);
    expect(Math.abs(next.seen[0]!.heldOutLoss! - result.heldOutLoss!)).toBeLessThan(1e-5);
  });

  it('goes on from its kept state and ends with the same bytes', async () => {
    const whole = await smallTraining();
    const cut = await smallTraining({ stateDirectory: null });
    const request = { ...cut.request, stateDirectory: join(cut.directory, 'state') };
    await train(whole);
    const stop = new AbortController();
    const kept: number[] = [];
    const trainer = pytorchTrainer({ engine: engine(), threads: 1, runMark: RUN });
    const onKept = async ({ step, files }: KeptState) => {
      kept.push(step);
      const folder = `step-${String(step).padStart(9, '0')}`;
      const names = [STATE_PART, `${STATE_PART}.crc32`, 'state.json'];
      expect(files).toEqual(names.map((name) => `${folder}/${name}`));
      stop.abort(new Error('the node was taken away'));
      // Never resolves, so no further state is announced.
      await new Promise(() => undefined);
    };
    await expect(trainer.train(request, { signal: stop.signal, onKept })).rejects.toThrow('the node was taken away');
    expect(kept).toHaveLength(1);
    expect(await markedProcesses(RUN)).toEqual([]);
    expect(await readdir(cut.directory)).toEqual(expect.not.arrayContaining(['checkpoint', 'checkpoint.pytorch']));
    await train({ ...cut, request });
    expect(cut.seen[0]!.step).toBeGreaterThan(kept[0]!);
    expect(cut.seen.at(-1)!.step).toBe(12);
    const weights = (training: SmallTraining) => readFile(join(training.request.outputDirectory, 'model.safetensors'));
    expect(await weights(cut)).toEqual(await weights(whole));

    // A damaged state is ignored, and so is that of another recipe (here with more steps).
    const [folder] = (await readdir(join(cut.directory, 'state'))).filter((name) => name.startsWith('step-')).reverse();
    await writeFile(join(cut.directory, 'state', folder!, STATE_PART), 'cut short');
    const again = {
      ...cut,
      seen: [],
      request: { ...request, outputDirectory: join(cut.directory, 'again'), steps: 12 },
    };
    await train(again);
    expect(again.seen.at(0)).toMatchObject({ step: 1 });
    const other = {
      ...cut,
      seen: [],
      request: { ...request, outputDirectory: join(cut.directory, 'other'), steps: 1 },
    };
    await train(other);
    expect(other.seen).toMatchObject([{ step: 1 }]);
  });

  it.skipIf(!canTrainTogether).each(['replicated', 'fsdp'] as const)(
    'two processes, %s, take the steps that one takes',
    async (parallelism) => {
      const one = await smallTraining({ steps: 5 });
      const two = await smallTraining({ steps: 5 });
      await train(one);
      const stateDirectory = join(two.directory, 'state');
      await train({ ...two, request: { ...two.request, stateDirectory } }, { processes: 2, parallelism });
      expect(two.seen.length).toBe(5);
      two.seen.forEach(({ loss, gradientNorm }, index) => {
        expect(Math.abs(loss - one.seen[index]!.loss)).toBeLessThan(1e-3);
        expect(Math.abs(gradientNorm - one.seen[index]!.gradientNorm)).toBeLessThan(1e-2);
      });
      await readModel(two.request.outputDirectory);
      const [folder] = (await readdir(stateDirectory)).filter((name) => name.startsWith('step-'));
      expect(
        (await readdir(join(stateDirectory, folder!))).filter((name) => name.endsWith('safetensors')),
      ).toHaveLength(2);
      expect(await markedProcesses(RUN)).toEqual([]);
    },
  );

  it.skipIf(!canTrainTogether)('is taken up by another number of processes', { tags: ['slow'] }, async () => {
    const whole = await smallTraining({ steps: 8 });
    await train(whole);
    // One process begins, two continue with shares or copies of the weights, and one finishes.
    const cut = await smallTraining({ steps: 8 });
    const request = { ...cut.request, stateDirectory: join(cut.directory, 'state') };
    const began = { ...cut, request };
    for (const changes of [
      {},
      { processes: 2, parallelism: 'fsdp' },
      { processes: 2, parallelism: 'replicated' },
    ] as const)
      await stopAfterState(began, changes);
    await train(began);
    expect(cut.seen.at(-1)!.step).toBe(8);
    const firstOf = new Map(cut.seen.map((progress) => [progress.step, progress]));
    expect([...firstOf.keys()]).toEqual(whole.seen.map(({ step }) => step));
    for (const { step, loss, gradientNorm } of whole.seen) {
      expect(Math.abs(firstOf.get(step)!.loss - loss)).toBeLessThan(1e-3);
      expect(Math.abs(firstOf.get(step)!.gradientNorm - gradientNorm)).toBeLessThan(1e-2);
    }
    const [one, other] = await Promise.all(
      [whole, cut].map(({ request: { outputDirectory } }) => tensorsOf(outputDirectory)),
    );
    expect(distance(one!, other!)).toBeLessThan(AFTER_STEPS_DIFFERENCE_MAX);
  });

  it('trains a model of another family, in shards and with extra files, and keeps its form', async () => {
    const base = await folderOf('qwen3', { tie_word_embeddings: true });
    await writeFile(join(base, 'chat_template.jinja'), '{{ messages }}');
    expect((await readdir(base)).filter((name) => name.endsWith('.safetensors')).length).toBeGreaterThan(1);
    const training = await smallTraining();
    const result = await train(training, { base, recomputeActivations: true });
    expect(result.finalLoss).toBeLessThan(training.seen[0]!.loss - 0.3);
    const { outputDirectory } = training.request;
    const { files } = await readManifest(outputDirectory);
    expect(files.map(({ name }) => name)).toContain('chat_template.jinja');
    expect((await tensorsOf(outputDirectory)).has('model.layers.1.self_attn.q_norm.weight')).toBe(true);
    for (const name of ['config.json', 'chat_template.jinja', 'tokenizer.json'])
      expect(await readFile(join(outputDirectory, name))).toEqual(await readFile(join(base, name)));
    // The next training starts from it.
    const next = await smallTraining({ initDirectory: outputDirectory, steps: 1 });
    await train(next);
    expect(Math.abs(next.seen[0]!.heldOutLoss! - result.heldOutLoss!)).toBeLessThan(1e-5);
  });

  it('computes in bfloat16, with masters in float32 or without', async () => {
    const exact = await smallTraining({ steps: 6 });
    const masters = await smallTraining({ steps: 6 });
    const coarse = await smallTraining({ steps: 6 });
    await train(exact);
    await train(masters, { precision: 'bfloat16' });
    await train(coarse, { precision: 'bfloat16', floatMasters: false });
    const furthest = ({ seen }: SmallTraining) =>
      Math.max(...seen.map(({ loss }, index) => Math.abs(loss - exact.seen[index]!.loss)));
    expect(furthest(masters)).toBeGreaterThan(0);
    expect(furthest(masters)).toBeLessThan(0.05);
    expect(furthest(coarse)).toBeLessThan(0.3);
    const start = await tensorsOf(coarse.request.outputDirectory);
    // Values outside bfloat16 would show that the weights were not trained in that type.
    const bits = (value: number) => new Uint32Array(new Float32Array([value]).buffer)[0]! & 0xffff;
    expect([...start.values()].every(({ values }) => values.every((value) => bits(value) === 0))).toBe(true);
  });

  it('trains an adapter: merged into the weights, or beside them and then taken further', async () => {
    const base = await folderOf('qwen2', { tie_word_embeddings: true });
    const merged = await smallTraining({ learningRate: 1e-2 });
    const result = await train(merged, { base, lora: LORA });
    expect(result.finalLoss).toBeLessThan(merged.seen[0]!.loss - 0.2);
    const whole = await smallTraining({ initDirectory: merged.request.outputDirectory, steps: 1 });
    await train(whole);
    // The merged weights are the model that was trained.
    expect(Math.abs(whole.seen[0]!.heldOutLoss! - result.heldOutLoss!)).toBeLessThan(1e-4);
    const before = await mergedShards(base);
    const after = await tensorsOf(merged.request.outputDirectory);
    const changed = [...after.keys()].filter(
      (name) => distance(new Map([[name, after.get(name)!]]), new Map([[name, before.get(name)!]])) > 0,
    );
    expect(changed.length).toBe(2 * 7);
    expect(changed.every((name) => /proj\.weight$/.test(name))).toBe(true);

    const separate = await smallTraining({ learningRate: 1e-2 });
    const lora = { ...LORA, output: 'separate' as const };
    const again = await train(separate, { base, lora });
    expect(again.finalLoss).toBe(result.finalLoss);
    const { outputDirectory } = separate.request;
    expect((await readdir(outputDirectory)).sort()).toEqual(
      [
        'adapter_config.json',
        'adapter_model.safetensors',
        'config.json',
        'generation_config.json',
        'manifest.json',
      ].concat('tokenizer.json', 'tokenizer_config.json', 'training.json'),
    );
    expect(await failureOf(readModel(outputDirectory))).toMatchObject({ code: 'STP1002' });
    const further = await smallTraining({ initDirectory: outputDirectory, steps: 1 });
    await train(further, { base, lora });
    expect(Math.abs(further.seen[0]!.heldOutLoss! - again.heldOutLoss!)).toBeLessThan(1e-5);
    // An adapter of another rank is refused.
    const other = await smallTraining({ initDirectory: outputDirectory, steps: 1 });
    expect(await failureOf(train(other, { base, lora: { ...lora, rank: 8 } }))).toMatchObject({ code: 'STP1002' });
  });

  it.skipIf(!canTrainTogether)('two processes train the adapter that one trains', { tags: ['slow'] }, async () => {
    const base = await folderOf('llama', { tie_word_embeddings: false });
    const one = await smallTraining({ steps: 5 });
    const two = await smallTraining({ steps: 5 });
    await train(one, { base, lora: LORA });
    const stateDirectory = join(two.directory, 'state');
    const asked = { ...two, request: { ...two.request, stateDirectory } };
    await train(asked, { base, lora: LORA, processes: 2, parallelism: 'fsdp', recomputeActivations: true });
    two.seen.forEach(({ loss, gradientNorm }, index) => {
      expect(Math.abs(loss - one.seen[index]!.loss)).toBeLessThan(1e-3);
      expect(Math.abs(gradientNorm - one.seen[index]!.gradientNorm)).toBeLessThan(1e-2);
    });
    const [here, there] = await Promise.all(
      [one, two].map(({ request: { outputDirectory } }) => tensorsOf(outputDirectory)),
    );
    expect(distance(here!, there!)).toBeLessThan(1e-3);
  });

  it('says what is wrong with the examples', async () => {
    const line = await smallTraining();
    await writeFile(
      line.request.examplesPath,
      '{"prompt":"a","target":"b","weight":1,"role":"prover"}\n{"prompt":1}\n',
    );
    // The base keeps the tokenizer's training, which reads the examples first, out of the way.
    const base = await folderOf('llama');
    expect(await failureOf(train(line, { base }))).toMatchObject({
      code: 'STP1501',
      message: expect.stringContaining('examples.jsonl:2'),
    });
  });

  it('says what is wrong with a model: pickles, code, damage, a tokenizer of another one', async () => {
    const good = await folderOf('llama', { tie_word_embeddings: false });
    let count = 0;
    const refused = async (
      code: string,
      message: string,
      spoil: (folder: string) => Promise<unknown>,
      changes = {},
    ) => {
      const base = `${good}-${count++}`;
      await cp(good, base, { recursive: true });
      await spoil(base);
      const training = await smallTraining({ steps: 1 });
      const failure = await failureOf(train(training, { base, ...changes }));
      expect({ code: failure.code, message: failure.message }).toEqual({
        code,
        message: expect.stringContaining(message),
      });
      expect((await readFile(`${training.request.outputDirectory}.log`, 'utf8')).length).toBeLessThan(20_000);
    };
    const config = (change: (fields: Record<string, unknown>) => object) => async (base: string) => {
      const path = join(base, 'config.json');
      await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')))));
    };
    await refused('STP1302', 'pickled weights are refused', async (base) => {
      for (const name of await readdir(base)) if (name.includes('safetensors')) await rm(join(base, name));
      await writeFile(join(base, 'pytorch_model.bin'), 'anything');
    });
    await refused(
      'STP1302',
      'auto_map',
      config((fields) => ({ ...fields, auto_map: { AutoModelForCausalLM: 'm.M' } })),
    );
    await refused(
      'STP1302',
      'config.json',
      config((fields) => ({ ...fields, model_type: 'no-such-model' })),
    );
    await refused(
      'STP1302',
      'the tokenizer has a token',
      config((fields) => ({ ...fields, vocab_size: 100, eos_token_id: 1 })),
    );
    await refused(
      'STP1302',
      'missing',
      config((fields) => ({ ...fields, num_hidden_layers: 3 })),
    );
    await refused('STP1302', 'model-0', async (base) => {
      const [first] = (await readdir(base)).filter((name) => name.endsWith('.safetensors'));
      await writeFile(join(base, first!), (await readFile(join(base, first!))).subarray(0, 200));
    });
    await refused('STP1002', 'q_project', async () => undefined, { lora: { ...LORA, targets: ['q_project'] } });
  });

  it.skipIf(device === 'cpu')('says that the memory of a GPU is not enough, and what would help', async () => {
    const base = await folderOf('llama', { vocab_size: 3_000_000, tie_word_embeddings: true });
    const training = await smallTraining({ steps: 1, tokensPerStep: 200_000 });
    const failure = await failureOf(train(training, { base, microBatchTokens: 200_000 }));
    expect(failure).toMatchObject({ code: 'STP1301', retryable: true });
    expect(failure.message).toContain('out of memory');
    expect(failure.advice).toContain('microBatchTokens');
  });

  it('trains an adapter over weights of four bits', { tags: ['slow'] }, async () => {
    const { base, training } = await overFourBits();
    const { finalLoss, heldOutLoss } = await train(training, { base, lora: FOUR_BITS });
    expect(finalLoss).toBeLessThan(training.seen[0]!.loss);
    // Merging uses the base weights in full precision, so the models differ by the error of four bits.
    const merged = await smallTraining({ initDirectory: training.request.outputDirectory, steps: 1 });
    await train(merged);
    expect(Math.abs(merged.seen[0]!.heldOutLoss! - heldOutLoss!)).toBeLessThan(0.1);
  });

  it.skipIf(!canTrainTogether)(
    'two processes train an adapter over four bits as one does',
    { tags: ['slow'] },
    async () => {
      const { base, training: one } = await overFourBits();
      await train(one, { base, lora: FOUR_BITS });
      const { training: two } = await overFourBits();
      await train(two, { base, lora: { ...FOUR_BITS, output: 'separate' }, processes: 2, parallelism: 'fsdp' });
      two.seen.forEach(({ loss }, index) => {
        expect(Math.abs(loss - one.seen[index]!.loss)).toBeLessThan(1e-3);
      });
      const adapter = await tensorsOf(two.request.outputDirectory, 'adapter_model.safetensors');
      expect([...adapter.keys()].every((name) => name.includes('.lora_'))).toBe(true);
      expect(adapter.size).toBe(2 * 2 * 7);
    },
  );

  it('says that there is no GPU, and no Python', async () => {
    const training = await smallTraining();
    const made = await failureOf(train(training, { python: '/nowhere/python3' }));
    expect(made).toMatchObject({ code: 'STP1301', message: expect.stringContaining('/nowhere/python3') });
  });
});
