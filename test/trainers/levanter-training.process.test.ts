import { globSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { enginesConfigSchema } from '@stp/config';
import { parseMetricsLine, readModel, rowsWanted, standInForLevanter } from '@stp/language-model/testing';
import { optimiserSteps } from '@stp/selfplay';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { skipsPython } from '../python/python.ts';
import { killMarked, markedProcesses } from '../support/processes.ts';
import { folderOf, openTraining, queuesOf, smallInput, startMachine, trainTogether } from './together-training.ts';

const skipped = skipsPython('trainings by a stand-in for Levanter');
const realPython = process.env.STP_LEVANTER_PYTHON ?? '';
if (realPython === '')
  console.log('skipped: a training by Levanter itself (STP_LEVANTER_PYTHON names no Python that has it)');
const STEPS = 20;

async function prepare(machines: 1 | 2, steps = STEPS) {
  const { server, directory, run, storeUri, store } = await openTraining('levanter');
  for (const [index, queue] of queuesOf(run).slice(0, machines).entries()) {
    const scratch = join(directory, String(index));
    await startMachine('levanter-worker.ts', [server.address, queue, storeUri, scratch], { STP_SCRATCH: scratch });
  }
  const python = await standInForLevanter(directory);
  const engines = enginesConfigSchema.parse({ trainer: { kind: 'levanter', python } });
  const input = await smallInput(store, run, steps);
  const linesOf = async (name: string) => (await readFile(join(directory, name), 'utf8')).trim().split('\n');
  return { server, directory, run, store, python, engines, input, linesOf };
}

it.skipIf(skipped)('all machines train together, and again when one fails', async () => {
  const { server, directory, run, store, python, engines, input, linesOf } = await prepare(2);
  await writeFile(join(directory, 'fail-1'), '');
  await writeFile(join(directory, 'hang-0'), '');
  await trainTogether(server, engines, input, 2, async (start) => {
    const trained = await start();
    expect(trained).toMatchObject({ steps: STEPS, loss: expect.closeTo(4 - 18.5 / STEPS, 6) });
    const [, folder] = /^(checkpoints\/sft-[0-9a-f]{8})\//.exec(
      trained.checkpoint.manifest.uri.slice(store.root.length + 1),
    )!;
    const { training, model } = await readModel(join(directory, 'store', folder!, 'checkpoint'));
    expect(model).toBe(trained.checkpoint.model);
    expect(training).toMatchObject({ steps: STEPS, parent: null });
    // Both machines had the same configuration, but for their own folders.
    const config = async (machine: string) => parse(await readFile(join(directory, `config${machine}.yaml`), 'utf8'));
    const [first, second] = [await config('0'), await config('1')];
    expect(first.trainer.checkpointer).toEqual(second.trainer.checkpointer);
    expect(first.trainer.id).toBe(second.trainer.id);
    expect(first.initialize_from_hf).not.toBe(second.initialize_from_hf);
    expect((await linesOf('starts')).slice(-2).sort()).toEqual(['0 goes on', '1 goes on']);
    expect(markedProcesses(run)).toEqual([]);
    // What is done is not done again: there is no Levanter any more.
    await writeFile(python, '#!/bin/sh\nexit 1\n');
    expect(await start()).toEqual(trained);
  });
});

it.skipIf(skipped)('one machine keeps its state in the store too, and leaves only what is needed there', async () => {
  const { server, directory, run, store, engines, input, linesOf } = await prepare(1);
  await writeFile(join(directory, 'fail-0'), '');
  await trainTogether(server, engines, input, 1, async (start) => {
    const trained = await start();
    expect(await linesOf('starts')).toEqual(['0 begins', '0 goes on']);
    const config = parse(await readFile(join(directory, 'config0.yaml'), 'utf8'));
    const training = join(folderOf(trained), '..');
    expect(config.trainer.checkpointer.base_path).toBe(join(training, 'state'));
    expect((await readdir(training)).sort()).toEqual(['checkpoint', 'init', 'prepared.json', 'rows', 'trained.json']);
    const name = relative(join(directory, 'store'), training);
    expect(await store.stat(`${name}/trained.json`)).not.toBeNull();
    expect(markedProcesses(run)).toEqual([]);
  });

  const rows = gunzipSync(await readFile(join(directory, 'rows.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { input_ids: number[]; loss_weights: number[] });
  const { optimiser, config, examples } = input;
  const request = { ...optimiser, shape: config.model, steps: optimiserSteps(examples.count, optimiser) };
  expect(rows.length).toBeGreaterThanOrEqual(rowsWanted(request));
  const end = 1;
  for (const { input_ids: ids, loss_weights: weights } of rows) {
    expect([ids.length, weights.length]).toEqual([config.model.contextLength, config.model.contextLength]);
    // Weights stand where the next token is scored: up to the token before each end, and nowhere at an end.
    ids.forEach((id, at) => {
      if (id === end) expect(weights[at]).toBe(0);
      if (ids[at + 1] === end && id !== end) expect(weights[at]).toBeGreaterThan(0);
    });
  }
});

it.skipIf(realPython === '')(
  'Levanter itself continues from the store if its machine has lost everything',
  async () => {
    const steps = 100;
    const { server, directory, run, input } = await prepare(1, steps);
    const trainer = { kind: 'levanter', python: realPython, requireAccelerator: false, keepStateSeconds: 2 };
    const scratch = join(directory, '0');
    const stepsLogged = async (): Promise<number[]> => {
      const [log] = globSync(join(scratch, 'commands', '*.log'));
      const lines = (await readFile(log!, 'utf8')).split('\n');
      return lines
        .flatMap((line) => parseMetricsLine(line) ?? [])
        .flatMap(({ step, loss }) => (loss === null ? [] : step));
    };
    await trainTogether(server, enginesConfigSchema.parse({ trainer }), input, 1, async (start) => {
      const training = start();
      const states = () => globSync(join(directory, 'store/checkpoints/*/state/*/step-*/metadata.json'));
      await expect.poll(states, { timeout: 200_000 }).not.toEqual([]);
      const [before] = await stepsLogged();
      killMarked(run);
      await rm(scratch, { recursive: true, force: true });
      const trained = await training;
      const after = await stepsLogged();
      expect(after[0]).toBeGreaterThan(before!);
      expect(after).toContain(steps);
      expect(trained.steps).toBe(steps);
      expect(trained.loss).toBeLessThan(1);
      expect(states()).toEqual([]);
    });
  },
);
