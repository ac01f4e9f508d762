/** A small training as workflows do it, over several machines: each a process with a worker, on a queue of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type EnginesConfig, resolveConfig } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { EXAMPLES, TRAINED_SHAPE as SMALL_SHAPE, smallTraining } from '@stp/language-model/testing';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { onTestFinished } from 'vitest';
import { writeRecords } from '../../activities/records/record-files.ts';
import type { Trained, TrainModelInput } from '../../activities/training/training.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import type { trainModel } from '../../workflows/stages/train.ts';
import { localServer } from '../support/temporal.ts';

/** Opens what a training over machines needs: a server, until the test ends, and a folder with a store. */
export async function openTraining(name: string) {
  const server = await localServer();
  onTestFinished(() => server.teardown());
  const { directory } = await smallTraining();
  const storeUri = pathToFileURL(join(directory, 'store')).href;
  const run = `${name}-${randomUUID().slice(0, 8)}`;
  return { server, directory, run, storeUri, store: await openStore(storeUri) };
}

/** The checkpoint's folder in a store that is a folder. */
export const folderOf = ({ checkpoint }: Trained): string => new URL('.', checkpoint.manifest.uri).pathname;

/** Own queues of two machines of the run. */
export const queuesOf = (run: string): readonly [string, string] => [`host/${run}/0`, `host/${run}/1`];

/** SFT of a tiny model in so many steps, its examples in the store. */
export async function smallInput(store: ObjectStore, run: string, steps: number): Promise<TrainModelInput> {
  const { sft } = resolveConfig({ preset: 'smoke' });
  return {
    run,
    name: 'checkpoints/sft',
    examples: await writeRecords(store, 'data/examples.jsonl', EXAMPLES.slice(0, 50)),
    heldOut: await writeRecords(store, 'data/held-out.jsonl', EXAMPLES.slice(50)),
    init: null,
    config: { model: { ...SMALL_SHAPE, tiedEmbeddings: true }, modelThreads: 1, seed: 3 },
    optimiser: { ...sft, stepsMin: steps, stepsMax: steps, tokensPerStep: 400 },
  };
}

/** Starts a machine: `entry` of this folder, which says `ready` when its worker polls. Ended with the test. */
export async function startMachine(
  entry: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const machine = spawn(process.execPath, [join(import.meta.dirname, entry), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void machine.kill('SIGKILL'));
  for await (const line of createInterface({ input: machine.stdout! })) if (line === 'ready') break;
  return machine;
}

/** @param machines how many of the run's two
 * @param work is given how the training is started, as often as it likes, while a worker for its workflow runs */
export async function trainTogether(
  server: TestWorkflowEnvironment,
  engines: EnginesConfig,
  input: TrainModelInput,
  machines: 1 | 2,
  work: (start: () => Promise<Trained>) => Promise<void>,
): Promise<void> {
  const hostQueues = queuesOf(input.run).slice(0, machines);
  const taskQueue = `train/${input.run}`;
  const workflowsPath = join(import.meta.dirname, 'together-workflow.ts');
  const worker = await Worker.create({ connection: server.nativeConnection, taskQueue, workflowsPath });
  const start = (): Promise<Trained> =>
    server.client.workflow.execute<typeof trainModel>('trainModel', {
      workflowId: randomUUID(),
      taskQueue,
      args: [hostQueues, engines, 'SFT', input],
    });
  await worker.runUntil(() => work(start));
}
