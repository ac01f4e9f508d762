/**
 * Tests runs on cloud machines, on a real Temporal server with activities that answer at once: machines are waited for,
 * replaced when they are lost, and released at every end. Costs about 25 s.
 */

import { randomUUID } from 'node:crypto';
import { resolveConfig } from '@stp/config';
import { activityInfo, heartbeat } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { releaseClosedRunsActivity } from '../../activities/control/release-closed-runs.ts';
import type { NodeProvider, NodesState } from '../../infra/nodes/provider.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import type { JanitorReport } from '../../workflows/janitor.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from './fake-activities.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const CLOUD = {
  'nodes.provider': 'tpu',
  'nodes.project': 'test-project',
  'nodes.zone': 'us-central2-b',
  'nodes.accelerator': 'v4-16',
  'nodes.tier': 'spot',
};

let server: TestWorkflowEnvironment;
let codePath: string;

beforeAll(async () => {
  [server, codePath] = await Promise.all([localServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

const queue = (prefix: string, generation: number, host: number): string => `host/${prefix}-g${generation}/${host}`;
const ready = (prefix: string, generation: number): NodesState => ({
  kind: 'ready',
  hosts: [0, 1].map((host) => ({
    name: `${prefix}-g${generation}/${host}`,
    taskQueue: queue(prefix, generation, host),
    address: null,
  })),
});

/** Runs `work` with workers for control, Lean and two machines of each of these generations. */
async function withWorkers<T>(
  fakes: Fakes,
  prefix: string,
  generations: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  const common = { connection: server.nativeConnection, activities: fakes.activities };
  const queues = generations.flatMap((generation) => [0, 1].map((host) => queue(prefix, generation, host)));
  let wrapped = work;
  for (const taskQueue of [...queues, contracts.LEAN_QUEUE]) {
    const worker = await Worker.create({ ...common, taskQueue });
    const inner = wrapped;
    wrapped = () => worker.runUntil(inner);
  }
  const control = await Worker.create({ ...common, taskQueue: contracts.CONTROL_QUEUE, workflowBundle: { codePath } });
  return control.runUntil(wrapped);
}

const start = (run: string, set: Record<string, unknown> = {}, more: object = {}): Promise<WorkflowHandle> =>
  server.client.workflow.start(contracts.SELFPLAY_TYPE, {
    workflowId: contracts.selfplayWorkflowId(run),
    taskQueue: contracts.CONTROL_QUEUE,
    args: [{ rounds: 1, set: { ...CLOUD, ...set }, ...more }],
  });

const name = (): string => `cloud-${randomUUID().slice(0, 8)}`;

/** Polls until the condition holds; the test's limit bounds it. In an activity `whileWaiting` sends heartbeats. */
async function until(condition: () => boolean, whileWaiting: () => void = () => undefined): Promise<void> {
  while (!condition()) {
    whileWaiting();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the messages of a failure and its causes. */
function messages(error: unknown): string {
  const all = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) all.push(cause.message);
  return all.join(' | ');
}

describe('a run on machines of a cloud', () => {
  it('asks after its configuration is known, prepares every machine, and gives all back', async () => {
    const fakes = fakeActivities(1);
    const run = name();
    let looks = 0;
    fakes.state = (generation) => {
      looks += 1;
      return looks < 2 ? { kind: 'waiting', reason: 'WAITING_FOR_RESOURCES' } : ready(run, generation);
    };
    await withWorkers(fakes, run, [1], async () => {
      const handle = await start(run);
      expect(await handle.result()).toMatchObject({ report: { count: 1 } });
      expect((await handle.describe()).memo).toMatchObject({
        hostQueues: [queue(run, 1, 0), queue(run, 1, 1)],
        nodes: { provider: 'tpu', accelerator: 'v4-16' },
      });
    });
    const important = fakes.calls.filter((call) =>
      /Nodes|nodesState|prepareRun|prepareData|trainModel checkpoints.sft|cleanUpNode (?:before|after)$/.test(call),
    );
    // The watch and the work begin at the same time, in any order.
    const watched = important.indexOf('watchNodes 1');
    expect(watched).toBeGreaterThan(important.lastIndexOf('cleanUpNode before'));
    expect(important.toSpliced(watched, 1)).toEqual([
      'prepareRun',
      'checkNodes',
      'prepareData',
      'requestNodes 1',
      'nodesState 1',
      'nodesState 1',
      'cleanUpNode before',
      'cleanUpNode before',
      'trainModel checkpoints/sft from nothing',
      'cleanUpNode after',
      'cleanUpNode after',
      'releaseCloudNodes',
    ]);
  });

  it('shares the shards of an evaluation, which one machine has prepared', async () => {
    const fakes = fakeActivities(6);
    const run = name();
    fakes.state = (generation) => ready(run, generation);
    const { prepareEvaluation, sampleShard } = fakes.activities;
    fakes.activities.prepareEvaluation = async (...words) => ({
      ...(await prepareEvaluation(...words)),
      config: resolveConfig({ preset: 'smoke', set: CLOUD }),
    });
    const sampledBy: string[] = [];
    fakes.activities.sampleShard = async (input) => {
      sampledBy.push(activityInfo().taskQueue);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return sampleShard(input);
    };
    const input = { preset: 'smoke', set: CLOUD, checkpoint: '/one', modelName: 'one', round: null, split: 'all' };
    const own = await Worker.create({
      connection: server.nativeConnection,
      activities: fakes.activities,
      taskQueue: HOST_QUEUE,
    });
    await own.runUntil(() =>
      withWorkers(fakes, run, [1], () =>
        server.client.workflow.execute(contracts.EVALUATE_TYPE, {
          workflowId: contracts.evaluateWorkflowId(run),
          taskQueue: contracts.CONTROL_QUEUE,
          args: [input],
        }),
      ),
    );
    expect(sampledBy).toHaveLength(6);
    expect(new Set(sampledBy)).toEqual(new Set([queue(run, 1, 0), queue(run, 1, 1)]));
    // What they cost ends with the proving: certificates and figures are made where the model came from.
    const at = (call: string): number => fakes.calls.findIndex((one) => one.startsWith(call));
    expect(at('releaseCloudNodes')).toBeGreaterThan(at('sampleShard'));
    expect(at('releaseCloudNodes')).toBeLessThan(at('collectEvaluation'));
  });

  it.each(['prepareRun', 'checkNodes', 'prepareData', 'takeOver'])(
    'asks for no machine where %s fails, which needs none',
    async (broken) => {
      const fakes = fakeActivities(1);
      const run = name();
      fakes.broken.add(broken);
      await withWorkers(fakes, run, [], async () => {
        const handle = await start(run, {}, broken === 'takeOver' ? { initFrom: 'other' } : {});
        expect(messages(await handle.result().catch((thrown: unknown) => thrown))).toContain(`${broken} is broken`);
      });
      expect(fakes.calls.filter((call) => /requestNodes|releaseCloudNodes/.test(call))).toEqual([]);
    },
  );

  it('samples on all its machines, each of which has the model before', async () => {
    const fakes = fakeActivities(6);
    const run = name();
    fakes.state = (generation) => ready(run, generation);
    const sampledOn: string[] = [];
    const { sampleShard } = fakes.activities;
    fakes.activities.sampleShard = async (input) => {
      sampledOn.push(activityInfo().taskQueue);
      // Machines that are idle meanwhile get the other shards.
      if (sampledOn.length === 1) await until(() => new Set(sampledOn).size === 2, heartbeat);
      return sampleShard(input);
    };
    await withWorkers(fakes, run, [1], async () => {
      expect(await (await start(run)).result()).toMatchObject({ report: { count: 1 } });
    });
    expect(new Set(sampledOn)).toEqual(new Set([queue(run, 1, 0), queue(run, 1, 1)]));
    const ofBaseline = fakes.calls.slice(
      0,
      fakes.calls.findIndex((call) => call.startsWith('sampleShard')),
    );
    expect(ofBaseline.filter((one) => one === 'copyCheckpoint checkpoints-sft')).toHaveLength(2);
    // Each machine samples a share of the conjectures, and one joins them.
    const conjecturing = fakes.calls.filter((call) => call.startsWith('sampleConjecture')).sort();
    expect(conjecturing).toEqual(['sampleConjectureShare 0 of 2', 'sampleConjectureShare 1 of 2', 'sampleConjectures']);
  });

  it('goes on with the same round on new machines when its machines are taken away', async () => {
    const fakes = fakeActivities(1);
    const run = name();
    fakes.state = (generation) => ready(run, generation);
    let takeAway: (() => void) | null = null;
    const taken = new Promise<void>((resolve) => {
      takeAway = resolve;
    });
    const watch = fakes.watch;
    fakes.watch = async (input) => {
      if (input.generation > 1) return watch(input);
      await taken;
      return { kind: 'lost', reason: 'the queued resource is SUSPENDED' };
    };
    // The shard of the baseline hangs on the first machines, like a collective operation without its peer.
    let hang: (() => void) | null = null;
    fakes.gate = new Promise<void>((resolve) => {
      hang = resolve;
    });
    await withWorkers(fakes, run, [1, 2], async () => {
      const handle = await start(run);
      await until(() => fakes.calls.some((call) => call.startsWith('sampleShard')));
      fakes.gate = null;
      takeAway!();
      hang!();
      expect(await handle.result()).toMatchObject({ report: { count: 1 } });
    });
    const asked = fakes.calls.filter((call) => /^(?:requestNodes|watchNodes|releaseCloudNodes)/.test(call));
    expect(asked).toEqual([
      'requestNodes 1',
      'watchNodes 1',
      'releaseCloudNodes',
      'requestNodes 2',
      'watchNodes 2',
      'releaseCloudNodes',
    ]);
    // The SFT ran once; the baseline began twice and finished once.
    expect(fakes.calls.filter((call) => call.startsWith('trainModel checkpoints/sft'))).toHaveLength(1);
    expect(fakes.calls.filter((call) => call === 'finishRound 0')).toHaveLength(1);
  });

  it('is ended by its cost guard, also while it waits for a person, and gives all back first', {
    tags: ['slow'],
  }, async () => {
    // The guard goes by the clock. If it struck before the run waited for a person, a longer limit is tried.
    for (let hoursMax = 0.002, waited = false; !waited; hoursMax *= 4) {
      const fakes = fakeActivities(1);
      const run = name();
      fakes.state = (generation) => ready(run, generation);
      // No person answers this failure.
      fakes.broken.add('planShards');
      await withWorkers(fakes, run, [1], async () => {
        const handle = await start(run, { 'nodes.hoursMax': hoursMax });
        const error = await handle.result().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(WorkflowFailedError);
        expect(messages(error)).toContain(`cost guard ended the run: its machines were held for ${hoursMax} hours`);
      });
      expect(fakes.calls.at(-1)).toBe('releaseCloudNodes');
      waited = fakes.calls.includes('planShards 0');
    }
  });

  it('that is cancelled while it waits for capacity gives back what it asked for', async () => {
    const fakes = fakeActivities(1);
    const run = name();
    fakes.state = () => ({ kind: 'waiting', reason: 'WAITING_FOR_RESOURCES' });
    await withWorkers(fakes, run, [], async () => {
      const handle = await start(run);
      await until(() => fakes.calls.includes('nodesState 1'));
      await handle.cancel();
      await expect(handle.result()).rejects.toBeInstanceOf(WorkflowFailedError);
    });
    expect(fakes.calls.at(-1)).toBe('releaseCloudNodes');
  });

  it('that is terminated has its machines given back by the janitor, and one that is open keeps them', {
    tags: ['slow'],
  }, async () => {
    const fakes = fakeActivities(1);
    const [terminated, open] = [name(), name()];
    fakes.state = () => ({ kind: 'waiting', reason: 'WAITING_FOR_RESOURCES' });
    const released: string[] = [];
    const provider = { release: async () => ({ left: ['a node (DELETING)'] }) } as unknown as NodeProvider;
    const closing = releaseClosedRunsActivity({
      provider(run) {
        released.push(run);
        return { provider, name: run, label: run };
      },
    });
    Object.assign(fakes.activities, closing);
    await withWorkers(fakes, terminated, [], async () => {
      const [first, second] = await Promise.all([start(terminated), start(open)]);
      await until(() => fakes.calls.filter((call) => call === 'nodesState 1').length >= 2);
      await first.terminate('a person lost patience');
      const janitor = async (): Promise<JanitorReport> =>
        server.client.workflow.execute(contracts.JANITOR_TYPE, {
          workflowId: `janitor-${randomUUID()}`,
          taskQueue: contracts.CONTROL_QUEUE,
        });
      // The server lists workflows with a short delay.
      let report = await janitor();
      while (!released.includes(terminated)) report = await janitor();
      expect(released).not.toContain(open);
      expect(report.leftInClouds).toContain('a node (DELETING)');
      await second.terminate('done');
    });
  });
});

describe('stp-clean-nodes', () => {
  it('cleans every machine that answers, and says which do not', { tags: ['slow'] }, async () => {
    const fakes = fakeActivities(1);
    const run = name();
    await withWorkers(fakes, run, [1], async () => {
      const outcomes = await server.client.workflow.execute(contracts.CLEAN_NODES_TYPE, {
        workflowId: `clean-${run}`,
        taskQueue: contracts.CONTROL_QUEUE,
        args: [{ run, queues: [queue(run, 1, 0), queue(run, 1, 1), 'host/gone/0'] }],
      });
      expect(outcomes).toMatchObject([{ kind: 'done' }, { kind: 'done' }, { kind: 'lost', queue: 'host/gone/0' }]);
    });
    expect(fakes.calls).toEqual(['cleanUpNode on_demand', 'cleanUpNode on_demand']);
  });
});
