/**
 * The PyTorch trainer beside the embedded one, on the processor: the same losses, a checkpoint that loads and samples, a
 * training that goes on where it was cut off, several processes. Costs about 70 s of CPU where PyTorch is installed (it
 * is loaded a dozen times).
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StpError } from '../../data/errors.ts';
import { type PytorchEngine, trainerEngineSchema } from '../../data/schemas/engines.ts';
import { readCheckpoint } from '../../model/checkpoint/checkpoint.ts';
import { embeddedGenerator, embeddedTrainer } from '../../model/embedded/engine.ts';
import type { KeptState } from '../../model/trainer.ts';
import { pytorchTrainer } from '../../model/trainers/pytorch/trainer.ts';
import { interpreter, skipsPython } from '../python/python.ts';
import { markedProcesses } from '../support/processes.ts';
import { type SmallTraining, smallTraining } from './small-training.ts';

const skipped = skipsPython('training with PyTorch');
const RUN = `pytorch-test-${process.pid}`;

const engine = (changes: Partial<PytorchEngine> = {}): PytorchEngine => ({
  ...(trainerEngineSchema.parse({ kind: 'pytorch' }) as PytorchEngine),
  python: interpreter,
  device: 'cpu',
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

const failureOf = async (work: Promise<unknown>): Promise<StpError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StpError);
  return error as StpError;
};

/** Of float32 sums in another order, over a dozen steps at a high rate. */
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
    expect(Math.abs(theirs.seen[0]!.loss - ours.seen[0]!.loss)).toBeLessThan(1e-4);
    expect(Math.abs(theirs.seen[0]!.gradientNorm - ours.seen[0]!.gradientNorm)).toBeLessThan(1e-3);
    expect(Math.abs(theirs.seen[0]!.heldOutLoss! - ours.seen[0]!.heldOutLoss!)).toBeLessThan(1e-4);
    theirs.seen.forEach(({ loss, heldOutLoss }, index) => {
      expect(Math.abs(loss - ours.seen[index]!.loss)).toBeLessThan(AFTER_STEPS_DIFFERENCE_MAX);
      expect(heldOutLoss === null).toBe(ours.seen[index]!.heldOutLoss === null);
    });
    expect(result).toMatchObject({ steps: embedded.steps, tokens: embedded.tokens, tooLong: embedded.tooLong });
    expect(Math.abs(result.finalLoss - embedded.finalLoss)).toBeLessThan(AFTER_STEPS_DIFFERENCE_MAX);
    expect(result.finalLoss).toBeLessThan(theirs.seen[0]!.loss - 0.5);

    const checkpoint = await readCheckpoint(theirs.request.outputDirectory);
    const reference = await readCheckpoint(ours.request.outputDirectory);
    expect(checkpoint.shape).toEqual(reference.shape);
    expect(checkpoint.training).toMatchObject({ seed: 7, steps: 12, parent: null, tokens: result.tokens });
    let distance = 0;
    for (const [name, { values }] of checkpoint.tensors)
      values.forEach((value, index) => {
        distance = Math.max(distance, Math.abs(value - reference.tensors.get(name)!.values[index]!));
      });
    expect(distance).toBeLessThan(0.02);
    const generator = await embeddedGenerator({ threads: 1 })(theirs.request.outputDirectory);
    const sampling = { temperature: 1, topP: 1, maxTokens: 16 };
    const [sample] = await generator.sample([{ id: 'a', prompt: '<prove>(n : Nat) : n = n<by>', seed: 1 }], sampling);
    await generator.close();
    expect(sample!.tokens).toBeGreaterThan(0);
    expect(await readdir(theirs.directory)).not.toContain('checkpoint.pytorch');

    // From that checkpoint: its name is the parent's, and the first loss is that of its weights.
    const next = await smallTraining({ initDirectory: theirs.request.outputDirectory, steps: 1 });
    await train(next);
    expect((await readCheckpoint(next.request.outputDirectory)).training.parent).toBe(checkpoint.manifest.model);
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
      const names = ['rank-0-of-1.crc32', 'rank-0-of-1.safetensors', 'state.json'];
      expect(files).toEqual(names.map((name) => `${folder}/${name}`));
      stop.abort(new Error('the node was taken away'));
      // Not settled: nothing more is announced.
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

    // A state that is damaged counts for nothing, as does that of another recipe (here of more steps).
    const [folder] = (await readdir(join(cut.directory, 'state'))).filter((name) => name.startsWith('step-')).reverse();
    await writeFile(join(cut.directory, 'state', folder!, 'rank-0-of-1.safetensors'), 'cut short');
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

  it.each(['replicated', 'fsdp'] as const)('two processes, %s, take the steps that one takes', async (parallelism) => {
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
    await readCheckpoint(two.request.outputDirectory);
    const [folder] = (await readdir(stateDirectory)).filter((name) => name.startsWith('step-'));
    expect((await readdir(join(stateDirectory, folder!))).filter((name) => name.endsWith('safetensors'))).toHaveLength(
      2,
    );
    expect(await markedProcesses(RUN)).toEqual([]);
  });

  it('says what is wrong with what it is given', async () => {
    const line = await smallTraining();
    await writeFile(
      line.request.examplesPath,
      '{"prompt":"a","target":"b","weight":1,"role":"prover"}\n{"prompt":1}\n',
    );
    // The base keeps the tokenizer's training, which reads the examples first, out of the way.
    const made = await smallTraining({ steps: 1 });
    await train(made);
    const base = made.request.outputDirectory;
    expect(await failureOf(train(line, { base }))).toMatchObject({
      code: 'STP1501',
      message: expect.stringContaining('examples.jsonl:2'),
    });
    const config = join(base, 'config.json');
    await writeFile(config, (await readFile(config, 'utf8')).replace('"silu"', '"gelu"'));
    const damaged = await smallTraining({ initDirectory: base });
    expect(await failureOf(train(damaged))).toMatchObject({
      code: 'STP1302',
      message: expect.stringContaining('config'),
    });
    const log = await readFile(`${damaged.request.outputDirectory}.log`, 'utf8');
    expect(log.length).toBeLessThan(10_000);
  });

  it('says that there is no GPU, and no Python', async () => {
    const training = await smallTraining();
    const made = await failureOf(train(training, { python: '/nowhere/python3' }));
    expect(made).toMatchObject({ code: 'STP1301', message: expect.stringContaining('/nowhere/python3') });
  });
});
