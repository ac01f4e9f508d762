/**
 * Tests a PyTorch training over two machines on a real Temporal server: two workers with separate disks, whose
 * processes meet over the loopback. One is killed during the training and replaced; all continue from the store, and
 * the result is that of one machine. Costs about 40 s of CPU (PyTorch is loaded six times).
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { enginesConfigSchema, type PytorchEngine } from '@stp/config';
import { pytorchTrainer } from '@stp/language-model';
import { readModel } from '@stp/language-model/testing';
import { WorkflowFailedError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { trainModelActivity } from '../../activities/host/train-model.ts';
import type { Trained } from '../../activities/training/training.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { interpreter, skipsPython } from '../python/python.ts';
import { silentMonitor } from '../support/node-worker.ts';
import { markedProcesses } from '../support/processes.ts';
import { folderOf, openTraining, queuesOf, smallInput, startMachine, trainTogether } from './together-training.ts';

const skipped = skipsPython('a PyTorch training over several machines');
const STEPS = 24;

const engines = enginesConfigSchema.parse({
  trainer: {
    kind: 'pytorch',
    nodes: 'all',
    python: interpreter,
    device: 'cpu',
    precision: 'float32',
    microBatchTokens: 256,
    keepStateSeconds: 0,
  },
});
const engine = engines.trainer as PytorchEngine;

/** By as many processes, of one machine that nobody disturbs. */
async function onOneMachine(directory: string): Promise<Trained> {
  const store = await openStore(pathToFileURL(join(directory, 'store')).href);
  const activities = trainModelActivity({
    store: async () => store,
    scratch: async () => join(directory, 'scratch'),
    monitor: silentMonitor,
    trainer: () => pytorchTrainer({ engine: { ...engine, nodes: 'one', processes: 2 }, threads: 1 }),
  });
  return new MockActivityEnvironment().run(activities.trainModel, await smallInput(store, 'one', STEPS));
}

it.skipIf(skipped)('two machines train together, and go on when one is lost', async () => {
  const { server, directory, run, storeUri, store } = await openTraining('parts');
  const queues = queuesOf(run);
  const startWorker = async (queue: string, machine: string): Promise<ChildProcess> => {
    const notes = join(directory, `notes-${machine}`);
    await mkdir(notes, { recursive: true });
    const args = [server.address, queue, storeUri, join(directory, machine), JSON.stringify(engine), notes];
    return startMachine('parts-worker.ts', args, { STP_NODE_ADDRESS: '127.0.0.1', GLOO_SOCKET_IFNAME: 'lo' });
  };
  const [, second] = await Promise.all([startWorker(queues[0], 'first'), startWorker(queues[1], 'second')]);
  await writeFile(join(directory, 'notes-second', 'lose'), '');
  await trainTogether(server, engines, await smallInput(store, run, STEPS), 2, async (start) => {
    const replaced = once(second, 'exit').then(() => startWorker(queues[1], 'third'));
    // A lost machine ends the work; who holds the machines puts another in its place and does it again.
    const trained = await start().catch((error: unknown) => {
      expect(error).toBeInstanceOf(WorkflowFailedError);
      return start();
    });
    await replaced;
    expect(markedProcesses(run)).toEqual([]);
    const firstSteps = async (machine: string) =>
      (await readFile(join(directory, `notes-${machine}`, 'first-steps'), 'utf8')).trim().split('\n').map(Number);
    expect(await firstSteps('second')).toEqual([1]);
    const [resumed] = await firstSteps('third');
    expect(resumed).toBeGreaterThan(1);
    expect(await firstSteps('first')).toEqual([1, resumed]);
    for await (const { name } of store.list('checkpoints/')) expect(name).not.toContain('/state/');

    const alone = await onOneMachine(join(directory, 'alone'));
    expect(trained.loss).toBeCloseTo(alone.loss, 4);
    expect(trained).toMatchObject({ steps: STEPS, tokens: alone.tokens });
    const [together, reference] = await Promise.all([trained, alone].map((done) => readModel(folderOf(done))));
    let distance = 0;
    for (const [name, { values }] of together!.tensors)
      values.forEach((value, index) => {
        distance = Math.max(distance, Math.abs(value - reference!.tensors.get(name)!.values[index]!));
      });
    expect(distance).toBeLessThan(1e-3);
    // What is done is not done again.
    expect(await start()).toEqual(trained);
    expect(await firstSteps('first')).toEqual([1, resumed]);
  });
});
