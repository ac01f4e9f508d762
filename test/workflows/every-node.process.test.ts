/**
 * Tests the same command on every machine, on a real Temporal server with workers in separate processes: results of
 * each, failures, a machine without a worker, one that is killed during work, all or none. Costs about 40 s, most of it
 * waiting for a killed worker's timeout.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import type { EveryNodeInput, stpEveryNode } from '../../workflows/nodes/every-node.ts';
import { killMarked, markedProcesses, untilMarked } from '../support/processes.ts';
import { localServer } from '../support/temporal.ts';

/** Seconds that the test waits where nobody polls, and that a machine that stands still for a moment has. */
const START_SECONDS = 15;

let server: TestWorkflowEnvironment;
let controlWorker: Worker;
let controlEnds: Promise<void>;

beforeAll(async () => {
  server = await localServer();
  const codePath = await workflowBundle(workerSettings().cacheDirectory);
  const workflowWorker = { taskQueue: contracts.CONTROL_QUEUE, workflowBundle: { codePath } };
  controlWorker = await Worker.create({ connection: server.nativeConnection, ...workflowWorker });
  controlEnds = controlWorker.run();
});
afterAll(async () => {
  controlWorker?.shutdown();
  await controlEnds;
  await server?.teardown();
});

/** Workers of so many machines, each polling its queue. */
async function machines(count: number) {
  const run = `every-node-${randomUUID().slice(0, 8)}`;
  const folder = await mkdtemp(join(tmpdir(), 'stp-every-node-'));
  const queues = Array.from({ length: count }, (_, index) => `host/${run}/${index}`);
  const entry = join(import.meta.dirname, 'every-node-worker.ts');
  const workers = queues.map((queue, index) =>
    spawn(process.execPath, [entry, server.address, queue, join(folder, String(index))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  onTestFinished(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    killMarked(run);
    await rm(folder, { recursive: true, force: true });
  });
  await Promise.all(workers.map(ready));
  return { run, queues, workers, folder };
}

async function ready(worker: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: worker.stdout! })) if (line === 'ready') return;
  throw new Error('a worker ended before it was ready');
}

const start = (input: EveryNodeInput) =>
  server.client.workflow.start<typeof stpEveryNode>(contracts.EVERY_NODE_TYPE, {
    workflowId: `${contracts.EVERY_NODE_TYPE}/${input.run}/${randomUUID().slice(0, 8)}`,
    taskQueue: contracts.CONTROL_QUEUE,
    args: [input],
  });

it('gives the result of each machine: done, failed, and lost where nobody polls', { tags: ['slow'] }, async () => {
  const { run, queues, folder } = await machines(2);
  const command = ['sh', '-c', 'echo "out $WORD"; echo err >&2; case "$PWD" in */1/scratch) exit 3 ;; esac'];
  const environment = { WORD: 'here' };
  const all = [...queues, `host/${run}/nobody`];
  const input = {
    run,
    queues: all,
    command,
    environment,
    timeoutSeconds: 60,
    startSeconds: START_SECONDS,
    together: false,
  };
  const [first, second, third] = await (await start(input)).result();
  expect(first).toMatchObject({ kind: 'done', queue: queues[0], result: { exitCode: 0, timedOut: false } });
  if (first?.kind !== 'done') throw new Error('not done');
  expect(first.result.output.split('\n').sort()).toEqual(['', 'err', 'out here']);
  expect(await readFile(first.result.logPath, 'utf8')).toContain('out here');
  expect(second).toMatchObject({ kind: 'failed', queue: queues[1], result: { exitCode: 3 } });
  expect(second).toMatchObject({ why: expect.stringContaining('ended with code 3') });
  expect(third).toMatchObject({ kind: 'lost', why: expect.stringContaining('no worker took the work') });
  expect(await readdir(join(folder, '0', 'scratch', 'commands'))).toHaveLength(1);
});

it('ends the others when one fails, where all must work together', { tags: ['slow'] }, async () => {
  const { run, queues } = await machines(3);
  // All begin; one fails once it sees that the others have.
  const begun = 'test -e ../../0/scratch/begun && test -e ../../1/scratch/begun';
  const last = `until ${begun}; do sleep 0.1; done; exit 1`;
  const wait = `case "$PWD" in */2/scratch) ${last} ;; *) sleep 600 & touch begun; sleep 600 ;; esac`;
  const input = { run, queues, command: ['sh', '-c', wait], timeoutSeconds: 600, together: true };
  const outcomes = await (await start(input)).result();
  expect(outcomes.map(({ kind }) => kind)).toEqual(['cancelled', 'cancelled', 'failed']);
  expect(markedProcesses(run)).toEqual([]);
});

it('tells a killed worker from a failed command, and ends the others with it', { tags: ['slow'] }, async () => {
  const { run, queues, workers } = await machines(2);
  const handle = await start({ run, queues, command: ['sleep', '600'], timeoutSeconds: 600, together: true });
  while ((await untilMarked(run)).length < 2) await pause(50);
  workers[1]!.kill('SIGKILL');
  const outcomes = await handle.result();
  expect(outcomes[0]!.kind).toBe('cancelled');
  expect(outcomes[1]).toMatchObject({ kind: 'lost', why: expect.stringContaining('fell silent') });
});

it('ends commands that take too long, and all of them when it is cancelled', async () => {
  const { run, queues } = await machines(2);
  const long = { run, queues, command: ['sleep', '600'], together: false };
  const outcomes = await (await start({ ...long, timeoutSeconds: 1 })).result();
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'failed', why: 'took too long' });

  const handle = await start({ ...long, timeoutSeconds: 600 });
  while ((await untilMarked(run)).length < 2) await pause(50);
  await handle.cancel();
  await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
  expect(markedProcesses(run)).toEqual([]);
});
