/**
 * Tests the Lean worker as a separate process, with real Lean and a real Temporal server. A run's cancellation reaches
 * Lean, the next worker removes a killed worker's leftovers, and the janitor sweeps. Slow tier: fifty processes of a
 * worker are killed, and the janitor's schedule has its own clock. Takes about a minute.
 *
 * @module-tag slow
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  isRunning,
  listProcesses,
  ownerOfThisProcess,
  type ProcessStat,
  RUN_MARK,
  type RunOwner,
  runMarkOf,
  writeRunMark,
} from '@stp/base/files';
import { statement } from '@stp/config/testing';
import { dedupeSamples } from '@stp/selfplay';
import { type ScheduleHandle, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { countWorkersActivity } from '../../activities/control/count-workers.ts';
import { findHostsActivity } from '../../activities/control/find-hosts.ts';
import { releaseClosedRunsActivity } from '../../activities/control/release-closed-runs.ts';
import { writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { localHostQueue } from '../../workers/assemble.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { scheduleJanitor } from '../../workers/janitor-schedule.ts';
import { localRunName, REPOSITORY, workerSettings } from '../../workers/settings.ts';
import { READY_LINE } from '../../workers/start.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import type { JanitorReport } from '../../workflows/janitor.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from '../workflows/fake-activities.ts';

/** Fails the test if a cloud is asked, since the runs are on this machine. */
const noCloud = (): never => {
  throw new Error('no run of this test is on machines of a cloud');
};

/**
 * The kernel multiplies and divides numbers of millions of digits, in 100,000 steps. It works for more than a minute
 * before its memory, which grows by 20 MB a second, meets the limit.
 */
const LONG = 'Nat.rec (motive := fun _ => Nat) 1 (fun k r => (3 ^ 8000000 * (r + k)) % 5 ^ 5000000) 100000';
const BUSY_PROOFS = ['decide +kernel', '(decide +kernel)', 'first | decide +kernel'];
const CHILDREN = 50;

let server: TestWorkflowEnvironment;
let codePath: string;
let directory: string;
let storeUri: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  [server, codePath] = await Promise.all([localServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-lean-worker-'));
  storeUri = pathToFileURL(join(directory, 'runs')).href;
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  // Their children end later and may still write there.
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** Starts `workers/lean.ts` and waits until it polls. */
async function leanWorker(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(REPOSITORY, 'workers', 'lean.ts')], {
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: server.address,
      STP_STORE: storeUri,
      STP_SCRATCH: join(directory, 'scratch'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  for await (const line of createInterface({ input: child.stdout! })) if (line === READY_LINE) return child;
  throw new Error('the worker ended before it was ready');
}

/** Starts a sleeping process with the mark. */
async function sleeper(mark: string | null): Promise<ProcessStat> {
  const env = { PATH: process.env.PATH, ...(mark !== null && { [RUN_MARK]: mark }) };
  const child = spawn('sleep', ['600'], { env, detached: true, stdio: 'ignore' });
  started.push(child);
  await once(child, 'spawn');
  return (await listProcesses()).find(({ pid }) => pid === child.pid)!;
}

async function marked(run: string): Promise<{ found: ProcessStat; owner: RunOwner | null }[]> {
  const local = localRunName(storeUri, run);
  const own: { found: ProcessStat; owner: RunOwner | null }[] = [];
  for (const found of await listProcesses()) {
    const mark = await runMarkOf(found.pid);
    if (mark?.run === local) own.push({ found, owner: mark.owner });
  }
  return own;
}

/** Runs `work` with fakes for all activities except `verifyShard`, which is real and on the queue of Lean. */
async function withFakes<T>(fakes: Fakes, work: () => Promise<T>): Promise<T> {
  const activities = { ...fakes.activities, ...findHostsActivity(), ...countWorkersActivity() };
  const common = { connection: server.nativeConnection, activities };
  const control = await Worker.create({ ...common, taskQueue: contracts.CONTROL_QUEUE, workflowBundle: { codePath } });
  const host = await Worker.create({ ...common, taskQueue: HOST_QUEUE });
  return host.runUntil(() => control.runUntil(work));
}

/** Makes a run whose only shard keeps three Lean processes busy: its objects, and a function that starts it. */
async function longRun(fakes: Fakes): Promise<{ run: string; start: () => Promise<WorkflowHandle> }> {
  const run = `lean-${randomUUID().slice(0, 8)}`;
  const store = await openStore(`${storeUri}/${run}`);
  const one = statement(`theorem a : ${LONG} = 1`);
  const raw = BUSY_PROOFS.map((text, seed) => ({
    ...{ statementId: one.id, index: seed, text: `  ${text}`, tokens: 1, logprob: 0, seed },
    finish: 'stop' as const,
  }));
  const items = await writeRecords(store, 'items.jsonl', [{ statement: one, origin: 'dataset', samples: raw.length }]);
  const samples = await writeRecords(store, 'samples.jsonl', dedupeSamples(raw, 'm'));
  const sampled = { samples, sampleCount: raw.length, distinctCount: raw.length, tokens: raw.length };
  fakes.activities.planShards = async () => ({ shards: [items] });
  fakes.activities.sampleShard = async () => sampled;
  const limits = { 'verification.candidateTimeoutMs': 3_600_000, 'verification.processes': BUSY_PROOFS.length };
  const start = () =>
    server.client.workflow.start(contracts.SELFPLAY_TYPE, {
      workflowId: contracts.selfplayWorkflowId(run),
      taskQueue: contracts.CONTROL_QUEUE,
      args: [{ rounds: 1, set: { ...limits, 'verification.candidatesPerProcess': 1 } }],
    });
  return { run, start };
}

/** Waits until Lean works on every proof. Returns the run's processes. */
async function untilBusy(run: string): Promise<Awaited<ReturnType<typeof marked>>> {
  let found: Awaited<ReturnType<typeof marked>> = [];
  await expect
    .poll(
      async () => {
        found = await marked(run);
        return found.filter((one) => one.found.cpuSeconds > 0.5).length;
      },
      { timeout: 240_000, interval: 200 },
    )
    .toBeGreaterThanOrEqual(BUSY_PROOFS.length);
  return found;
}

async function untilGone(processes: readonly ProcessStat[]): Promise<number> {
  const startedAt = performance.now();
  while ((await Promise.all(processes.map(isRunning))).some(Boolean)) await new Promise((go) => setTimeout(go, 20));
  return performance.now() - startedAt;
}

it('hears of a cancelled run: Lean has ended when the run has, and before its node is cleaned', async () => {
  const fakes = fakeActivities(1);
  const { run, start } = await longRun(fakes);
  await leanWorker();
  await withFakes(fakes, async () => {
    const handle = await start();
    const busy = (await untilBusy(run)).map(({ found }) => found);
    await handle.cancel();
    const goneAfter = untilGone(busy);
    const error = await handle.result().catch((failure: unknown) => failure);
    const stillThere = await Promise.all(busy.map(isRunning));
    console.log(`cancellation reached ${busy.length} processes in ${(await goneAfter).toFixed(0)} ms`);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
    expect(stillThere).toEqual(busy.map(() => false));
  });
});

it(`leaves nothing of a killed worker's ${CHILDREN} processes once the next one has started, and spares what is not its`, async () => {
  const fakes = fakeActivities(1);
  const { run, start } = await longRun(fakes);
  const worker = await leanWorker();
  await withFakes(fakes, async () => {
    const handle = await start();
    const lean = await untilBusy(run);
    const owner = lean[0]!.owner!;
    expect(owner.pid).toBe(worker.pid);
    const local = localRunName(storeUri, run);
    // Only the sleepers count, since Lean's own processes come and go.
    for (let count = 0; count < CHILDREN; count++) await sleeper(writeRunMark(local, owner, 'lean'));
    const children = (await marked(run)).map(({ found }) => found);
    expect(children.length).toBeGreaterThanOrEqual(CHILDREN);
    const foreign = [
      await sleeper(writeRunMark(local, await ownerOfThisProcess(), 'lean')),
      await sleeper(`${local}-other`),
      await sleeper(null),
    ];
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    const left = (await Promise.all(children.map(isRunning))).filter(Boolean).length;
    // Lean in a sandbox ends with its parent; the others do not.
    expect(left).toBeGreaterThanOrEqual(CHILDREN - lean.length);
    await handle.terminate('the test has seen enough');
    await leanWorker();
    expect(await Promise.all(children.map(isRunning))).toEqual(children.map(() => false));
    expect(await Promise.all(foreign.map(isRunning))).toEqual([true, true, true]);
  });
});

it('is swept by the janitor, which passes by nodes that are gone', async () => {
  await leanWorker();
  const dead = { ...(await ownerOfThisProcess()), startTicks: 1 };
  // Runs that were terminated when their node was known: one here, one on a node that is gone.
  for (const taskQueue of [localHostQueue(), 'stp/host/gone']) {
    const fakes = fakeActivities();
    fakes.activities.provisionNodes = async () => [{ name: 'n', taskQueue, cpuCores: 1, memoryBytes: 1 }];
    fakes.activities.saveState = () => new Promise(() => undefined);
    await withFakes(fakes, async () => {
      const handle = await server.client.workflow.start(contracts.SELFPLAY_TYPE, {
        workflowId: contracts.selfplayWorkflowId(`swept-${randomUUID().slice(0, 8)}`),
        taskQueue: contracts.CONTROL_QUEUE,
        args: [{ rounds: 1 }],
      });
      await expect
        .poll(async () => (await handle.describe()).memo?.[contracts.HOST_QUEUES_MEMO], { timeout: 240_000 })
        .toEqual([taskQueue]);
      await handle.terminate();
    });
  }
  // The janitor finds leftovers by the record of the terminated run, which is listed a moment later.
  const terminated = `WorkflowType = '${contracts.SELFPLAY_TYPE}' AND ExecutionStatus = 'Terminated'`;
  const isSwept = (id: string): boolean => id.startsWith(contracts.selfplayWorkflowId('swept-'));
  await expect
    .poll(async () => (await workflowIds(terminated)).filter(isSwept).length, { timeout: 240_000, interval: 200 })
    .toBe(2);
  const { namespace } = server.client.options;
  await scheduleJanitor(server.nativeConnection, namespace);
  await scheduleJanitor(server.nativeConnection, namespace);
  const schedule = server.client.schedule.getHandle(contracts.JANITOR_TYPE);
  const control = await Worker.create({
    connection: server.nativeConnection,
    taskQueue: contracts.CONTROL_QUEUE,
    workflowBundle: { codePath },
    activities: {
      ...findHostsActivity(),
      ...countWorkersActivity(),
      ...releaseClosedRunsActivity({ provider: noCloud }),
    },
  });
  await control.runUntil(async () => {
    // A worker of another test may sweep first; then another process is started for the janitor.
    let ended = 0;
    for (let turn = 0; turn < 5 && ended === 0; turn++) {
      const leftover = await sleeper(writeRunMark('some-run', dead, 'lean'));
      const report = await janitorReport(schedule);
      expect(report.leftInClouds).toEqual([]);
      expect(report.nodes).toBe(1);
      expect(report.gone).toContain('stp/host/gone');
      expect(report.failed).toEqual([]);
      expect(await isRunning(leftover)).toBe(false);
      ended = report.processesEnded;
    }
    expect(ended).toBeGreaterThanOrEqual(1);
  });
});

async function workflowIds(query: string): Promise<string[]> {
  const found = await Array.fromAsync(server.client.workflow.list({ query }));
  return found.map(({ workflowId }) => workflowId);
}

/**
 * Returns the report of a janitor run that began after this call, by the trigger or by the schedule.
 */
async function janitorReport(schedule: ScheduleHandle): Promise<JanitorReport> {
  const runs = async (): Promise<string[]> =>
    (await schedule.describe()).info.recentActions.map(({ action }) => action.workflow.workflowId);
  const before = new Set(await runs());
  for (;;) {
    // No second run starts during another, so the trigger is repeated.
    await schedule.trigger();
    await pause(2_000);
    const begun = (await runs()).find((id) => !before.has(id));
    if (begun !== undefined) return (await server.client.workflow.getHandle(begun).result()) as JanitorReport;
  }
}
