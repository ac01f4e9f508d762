/**
 * A training over two machines with a stand-in for Levanter, on a real Temporal server: one machine fails, the other is
 * ended with it, both begin anew, and the export becomes the checkpoint. Needs PyTorch for the scripts around it. Costs
 * about 30 s of CPU.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { writeRecords } from '../../activities/record-files.ts';
import type { TrainModelInput } from '../../activities/training.ts';
import { resolveConfig } from '../../data/config/resolve.ts';
import { enginesConfigSchema } from '../../data/schemas/engines.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { readCheckpoint } from '../../model/checkpoint/checkpoint.ts';
import type { trainModel } from '../../workflows/train.ts';
import { SMALL_SHAPE } from '../model-training/small-model.ts';
import { skipsPython } from '../python/python.ts';
import { markedProcesses } from '../support/processes.ts';
import { localServer } from '../support/temporal.ts';
import { EXAMPLES, smallTraining } from './small-training.ts';
import { standInForLevanter } from './stand-in-levanter.ts';

const skipped = skipsPython('a training over several machines');

it.skipIf(skipped)('all machines train together, and again when one fails', async () => {
  const server = await localServer();
  onTestFinished(() => server.teardown());
  const { directory } = await smallTraining();
  const run = `together-${randomUUID().slice(0, 8)}`;
  const storeUri = pathToFileURL(join(directory, 'store')).href;
  const store = await openStore(storeUri);
  const queues = ['0', '1'].map((number) => `host/${run}/${number}`);
  for (const [index, queue] of queues.entries()) {
    const scratch = join(directory, String(index));
    const entry = join(import.meta.dirname, 'together-worker.ts');
    const worker = spawn(process.execPath, [entry, server.address, queue, storeUri, scratch], {
      env: { ...process.env, STP_SCRATCH: scratch },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    for await (const line of createInterface({ input: worker.stdout! })) if (line === 'ready') break;
  }
  const python = await standInForLevanter(directory);
  await writeFile(join(directory, 'fail-1'), '');
  await writeFile(join(directory, 'hang-0'), '');
  const { sft } = resolveConfig({ preset: 'smoke' });
  const input: TrainModelInput = {
    run,
    name: 'checkpoints/sft',
    examples: await writeRecords(store, 'data/examples.jsonl', EXAMPLES.slice(0, 50)),
    heldOut: await writeRecords(store, 'data/held-out.jsonl', EXAMPLES.slice(50)),
    init: null,
    config: { model: { ...SMALL_SHAPE, tiedEmbeddings: true }, modelThreads: 1, seed: 3 },
    optimiser: { ...sft, stepsMin: 20, stepsMax: 20, tokensPerStep: 400 },
  };
  const engines = enginesConfigSchema.parse({ trainer: { kind: 'levanter', python } });
  const taskQueue = `train/${run}`;
  const workflowsPath = join(import.meta.dirname, 'together-workflow.ts');
  const workflowWorker = await Worker.create({ connection: server.nativeConnection, taskQueue, workflowsPath });
  const start = () =>
    server.client.workflow.execute<typeof trainModel>('trainModel', {
      workflowId: randomUUID(),
      taskQueue,
      args: [{ hostQueue: queues[0]!, hostQueues: queues }, engines, 'SFT', input],
    });
  await workflowWorker.runUntil(async () => {
    const trained = await start();
    expect(trained).toMatchObject({ steps: 20, loss: expect.closeTo(4 - 18.5 / 20, 6) });
    const [, folder] = /^(checkpoints\/sft-[0-9a-f]{8})\//.exec(
      trained.checkpoint.manifest.uri.slice(store.root.length + 1),
    )!;
    const { training, manifest } = await readCheckpoint(join(directory, 'store', folder!, 'checkpoint'));
    expect(manifest.model).toBe(trained.checkpoint.model);
    expect(training).toMatchObject({ steps: 20, parent: null });
    // Both machines had the same configuration, but for their own folders.
    const config = async (machine: string) => parse(await readFile(join(directory, `config${machine}.yaml`), 'utf8'));
    const [first, second] = [await config('0'), await config('1')];
    expect(first.trainer.checkpointer).toEqual(second.trainer.checkpointer);
    expect(first.trainer.id).toBe(second.trainer.id);
    expect(first.initialize_from_hf).not.toBe(second.initialize_from_hf);
    expect(markedProcesses(run)).toEqual([]);
    // What is done is not done again: there is no Levanter any more.
    await writeFile(python, '#!/bin/sh\nexit 1\n');
    expect(await start()).toEqual(trained);
  });
});
