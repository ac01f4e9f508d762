/**
 * Tests a run on two machines of an inventory, one with a full disk or absent when the run begins. The server's clock
 * jumps over waits; costs about 20 s.
 */
import { activityInfo } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { edgeInterceptors } from '../../activities/edge.ts';
import { cannotWrite } from '../../infra/stores/store-errors.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { timeSkippingServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities } from './fake-activities.ts';

/** Processes, one after the other, each of which takes as long as the machine has it take. */
vi.setConfig({ testTimeout: 180_000 });
const PATIENT = { timeout: 60_000 };

let server: TestWorkflowEnvironment;
let codePath: string;
beforeAll(async () => {
  [server, codePath] = await Promise.all([timeSkippingServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

interface Inventory {
  readonly fakes: Fakes;
  /** Calls of the machine that has the activity, and its name. */
  readonly calls: string[];
  worker(queue: string): Promise<Worker>;
  start(): ReturnType<typeof begin>;
}

const begin = (run: string) =>
  server.client.workflow.start(contracts.SELFPLAY_TYPE, {
    workflowId: contracts.selfplayWorkflowId(run),
    taskQueue: contracts.CONTROL_QUEUE,
    args: [{ rounds: 1, set: { library: 'grow', 'nodes.provider': 'inventory', 'nodes.file': 'machines.yaml' } }],
  });

/** Runs `play` while control and Lean work. */
async function withInventory<T>(run: string, play: (inventory: Inventory) => Promise<T>): Promise<T> {
  const fakes = fakeActivities(1);
  const calls: string[] = [];
  fakes.state = () => ({
    kind: 'ready',
    hosts: ['first', 'second'].map((name) => ({ name, taskQueue: `${run}/${name}`, address: null })),
  });
  const { cleanUpNode } = fakes.activities;
  fakes.activities.cleanUpNode = (name, why, what) => {
    calls.push(`${activityInfo().taskQueue} cleanUpNode ${why}`);
    return cleanUpNode(name, why, what);
  };
  const common = {
    connection: server.nativeConnection,
    activities: fakes.activities,
    interceptors: { activity: [edgeInterceptors] },
  };
  const worker = (taskQueue: string) => Worker.create({ ...common, taskQueue });
  const control = await Worker.create({
    ...common,
    taskQueue: contracts.CONTROL_QUEUE,
    workflowBundle: { codePath },
  });
  const lean = await worker(contracts.LEAN_QUEUE);
  return control.runUntil(lean.runUntil(play({ fakes, calls, worker, start: () => begin(run) })));
}

it('goes on with the other machine where one has no space for anything', async () => {
  const refused: string[] = [];
  const again = Promise.withResolvers<never>();
  const outcome = await withInventory('full', async ({ fakes, worker, start }) => {
    const activities = fakes.activities as unknown as Record<string, (input: never) => Promise<unknown>>;
    for (const [name, work] of Object.entries(activities))
      activities[name] = async (input) => {
        const { taskQueue, attempt } = activityInfo();
        if (taskQueue !== 'full/first' || name === 'cleanUpNode') return work(input);
        if (attempt > 1) again.reject(new Error(`${name} waits for space beside a machine that has some`));
        refused.push(name);
        throw cannotWrite(name, Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }));
      };
    const [first, second] = await Promise.all([worker('full/first'), worker('full/second')]);
    return first.runUntil(second.runUntil(async () => Promise.race([(await start()).result(), again.promise])));
  });
  expect(outcome).toMatchObject({ summary: expect.anything() });
  expect([...new Set(refused)].sort()).toEqual([
    ...['collectEvaluation', 'copyCheckpoint', 'embedStatements', 'growLibrary', 'matchConjectures', 'planConjectures'],
    ...['readConjectures', 'sampleConjectureShare', 'sampleConjectures', 'sampleShard', 'trainModel', 'writeReport'],
  ]);
});

it('waits some minutes for a machine that is away while it begins', async () => {
  await withInventory('late', async ({ calls, worker, start }) => {
    const first = await worker('late/first');
    await first.runUntil(async () => {
      const handle = await start();
      await expect.poll(() => calls, PATIENT).toContain('late/first cleanUpNode before');
      // The clock does not jump while a task waits for its worker, so the patience is read instead.
      const { events } = await handle.fetchHistory();
      const asked = events?.find(
        ({ activityTaskScheduledEventAttributes: task }) => task?.taskQueue?.name === 'late/second',
      )?.activityTaskScheduledEventAttributes;
      expect(Number(asked?.scheduleToStartTimeout?.seconds)).toBeGreaterThanOrEqual(10 * 60);
      const second = await worker('late/second');
      await second.runUntil(() => handle.result());
    });
    expect(calls).toContain('late/second cleanUpNode before');
  });
});

it('leaves nothing on a machine that came where it ends before another has come', async () => {
  await withInventory('never', async ({ calls, worker, start }) => {
    const first = await worker('never/first');
    await first.runUntil(async () => {
      const handle = await start();
      await expect.poll(() => calls, PATIENT).toContain('never/first cleanUpNode before');
      await handle.cancel();
      await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    });
    expect(calls).toEqual(['never/first cleanUpNode before', 'never/first cleanUpNode after']);
  });
});
