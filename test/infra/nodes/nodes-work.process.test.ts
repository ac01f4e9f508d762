/**
 * Tests `bin/stp nodes run`, `clean` and `sweep` as processes, against a Temporal server with workers of two machines:
 * results of each machine, exit codes, ended and spared processes. Costs about 40 s: commands are processes, and wait
 * for a machine that does not answer.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_MARK } from '@stp/base/files';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { provisionNodesActivity } from '../../../activities/control/provision-nodes.ts';
import { releaseNodesActivity } from '../../../activities/control/release-nodes.ts';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../../activities/edge.ts';
import { cleanUpNodeActivity } from '../../../activities/every-node/clean-up-node.ts';
import { copyCheckpointActivity } from '../../../activities/every-node/copy-checkpoint.ts';
import { runOnNodeActivity } from '../../../activities/every-node/run-on-node.ts';
import { sweepNodeActivity } from '../../../activities/every-node/sweep-node.ts';
import { localNodes } from '../../../infra/nodes/local-nodes.ts';
import { hostQueue, runLabel } from '../../../infra/nodes/names.ts';
import { workflowBundle } from '../../../workers/bundle.ts';
import { localRunName, workerSettings } from '../../../workers/settings.ts';
import { CONTROL_QUEUE, SELFPLAY_TYPE, selfplayWorkflowId } from '../../../workflows/control/contracts.ts';
import { fastClock } from '../../fakes/clock.ts';
import { startFakeMetadata } from '../../fakes/metadata.ts';
import { startFakeTpu } from '../../fakes/tpu.ts';
import { stp } from '../../support/stp.ts';
import { localServer } from '../../support/temporal.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const RUN = `nodes-work-${process.pid}`;
const HOUR_MS = 3_600_000;

let server: TestWorkflowEnvironment;
let folder: string;
let inventory: string;
const workers: Worker[] = [];
let ends: Promise<unknown>;

/** The activities of a machine, over its own scratch folder. */
function activitiesOf(name: string): object {
  const scratchDirectory = join(folder, name);
  const ports = {
    store: () => Promise.reject(new Error('this node has no store')),
    scratch: async (run: string) => {
      await mkdir(join(scratchDirectory, run), { recursive: true });
      return join(scratchDirectory, run);
    },
    runMark: (run: string) => run,
    monitor: async () => ({ log: async () => undefined, finalise: async () => undefined }),
    nodes: localNodes({ scratchDirectory, taskQueue: hostQueue(name, 0) }),
  };
  return {
    ...runOnNodeActivity(ports),
    ...copyCheckpointActivity(ports),
    ...provisionNodesActivity(ports),
    ...cleanUpNodeActivity(ports),
    ...sweepNodeActivity(ports),
    ...releaseNodesActivity(ports),
  };
}

const writeInventory = async (...names: string[]): Promise<string> => {
  const path = join(folder, `${names.join('-')}.json`);
  await writeFile(path, JSON.stringify({ hosts: names.map((name) => ({ name, address: `${name}.example` })) }));
  return path;
};

beforeAll(async () => {
  server = await localServer();
  folder = await mkdtemp(join(tmpdir(), 'stp-nodes-work-'));
  inventory = await writeInventory('one', 'two');
  const connection = server.nativeConnection;
  const codePath = await workflowBundle(workerSettings().cacheDirectory);
  workers.push(await Worker.create({ connection, taskQueue: CONTROL_QUEUE, workflowBundle: { codePath } }));
  for (const name of ['one', 'two'])
    workers.push(
      await Worker.create({
        connection,
        taskQueue: hostQueue(name, 0),
        activities: activitiesOf(name),
        interceptors: { activity: [edgeInterceptors] },
        maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
      }),
    );
  ends = Promise.all(workers.map((worker) => worker.run()));
});
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await ends;
  await server?.teardown();
  await rm(folder, { recursive: true, force: true });
});

const nodes = (args: readonly string[], env: Record<string, string> = {}) =>
  stp(['nodes', ...args], { env: { TEMPORAL_ADDRESS: server.address, ...env } });

it('runs a command on every machine, as it was written, and prints what each says', async () => {
  const words = ['sh', '-c', 'echo "<$1> of $STP_RUN"; echo and this >&2', 'sh', "it's  $HOME"];
  const { exitCode, stdout } = await nodes(['run', '--inventory', inventory, '--run', RUN, '--json', '--', ...words]);
  const outcomes = JSON.parse(String(stdout));
  expect(exitCode).toBe(0);
  expect(outcomes).toMatchObject(
    ['host/one/0', 'host/two/0'].map((queue) => ({ kind: 'done', queue, result: { exitCode: 0, timedOut: false } })),
  );
  for (const { result } of outcomes) {
    const lines = result.output.trim().split('\n').sort();
    expect(lines).toEqual([`<it's  $HOME> of ${RUN}`, 'and this']);
    expect(existsSync(result.logPath)).toBe(true);
  }
});

it('ends with 1 where a command fails, and with --together ends the others', async () => {
  const script = 'case "$PWD" in */one/*) echo no such device; exit 7 ;; esac; exec sleep 300';
  const command = ['run', '--inventory', inventory, '--run', RUN, '--together', '--timeout', '60', '--'];
  const { exitCode, stdout } = await nodes([...command, 'sh', '-c', script]);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/host\/one\/0 +failed +ended with code 7: no such device/);
  expect(stdout).toMatch(/host\/two\/0 +cancelled/);
});

it('says what is missing: a server, machines', { tags: ['slow'] }, async () => {
  const unreachable = await nodes(['run', '--inventory', inventory, '--', 'true'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect([unreachable.exitCode, unreachable.all]).toEqual([1, expect.stringContaining('STP1101')]);
  const unnamed = await nodes(['clean', '--run', RUN]);
  expect([unnamed.exitCode, unnamed.all]).toEqual([2, expect.stringContaining('no machines are named')]);
});

it('cleans every machine: processes of the run and its scratch, no others, and names who does not answer', {
  tags: ['slow'],
}, async () => {
  const sleeper = (mark: string): ChildProcess => {
    const child = spawn('sleep', ['300'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, [RUN_MARK]: mark },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const [ours, other] = [sleeper(RUN), sleeper(`${RUN}-other`)];
  const ended = once(ours, 'exit');
  for (const name of ['one', 'two']) {
    await mkdir(join(folder, name, RUN), { recursive: true });
    await writeFile(join(folder, name, RUN, 'left'), 'x');
  }
  const all = await writeInventory('one', 'two', 'nobody');
  const { exitCode, stdout } = await nodes(['clean', '--inventory', all, '--run', RUN, '--json']);
  expect(exitCode).toBe(1);
  const outcomes = JSON.parse(String(stdout));
  expect(outcomes).toMatchObject([
    { kind: 'done', queue: 'host/one/0' },
    { kind: 'done', queue: 'host/two/0' },
    { kind: 'lost', queue: 'host/nobody/0' },
  ]);
  // Both machines are this one: one of them, or both, have found it.
  expect(outcomes[0].result.processesEnded + outcomes[1].result.processesEnded).toBeGreaterThanOrEqual(1);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  for (const name of ['one', 'two']) expect(existsSync(join(folder, name, RUN))).toBe(false);
});

it('sweeps no machines of a run that is open, also where STP_STORE names another store', {
  tags: ['slow'],
}, async () => {
  const metadata = await startFakeMetadata();
  const cloud = await startFakeTpu(fastClock(60), metadata.token);
  onTestFinished(async () => {
    await cloud.close();
    await metadata.close();
  });
  const parent = 'projects/test-project/locations/us-central2-b';
  const label = runLabel(localRunName('gs://bucket/runs', RUN));
  const node = { acceleratorType: 'v4-8', runtimeVersion: 'tpu-ubuntu2204-base', labels: { 'stp-run': label } };
  const request = cloud.model.create(parent, `${label}-g1`, {
    tpu: { nodeSpec: [{ parent, nodeId: `${label}-g1`, node }] },
  });
  cloud.model.hasCapacity = () => false;
  Object.assign(request, { createdAtMs: Date.now() - 30 * HOUR_MS });
  const handle = await server.client.workflow.start(SELFPLAY_TYPE, {
    workflowId: selfplayWorkflowId(RUN),
    taskQueue: CONTROL_QUEUE,
    args: [{ rounds: 1 }],
  });
  const isListed = async (): Promise<boolean> => {
    for await (const { workflowId } of server.client.workflow.list({ query: "ExecutionStatus = 'Running'" }))
      if (workflowId === handle.workflowId) return true;
    return false;
  };
  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  await until(isListed);
  const where = ['--project', 'test-project', '--zone', 'us-central2-b', '--accelerator', 'v4-8', '--json'];
  const sweep = () =>
    nodes(['sweep', ...where], {
      ...metadata.environment,
      STP_TPU_ENDPOINT: cloud.endpoint,
      STP_STORE: 'gs://another/runs',
    });
  const spared = await sweep();
  expect([spared.exitCode, JSON.parse(String(spared.stdout)), cloud.model.requests.size]).toEqual([0, [], 1]);
  await handle.terminate();
  await until(async () => !(await isListed()));
  const swept = await sweep();
  expect([swept.exitCode, JSON.parse(String(swept.stdout))]).toMatchObject([0, [{ runLabel: label }]]);
  expect(cloud.model.requests.size).toBe(0);
});
