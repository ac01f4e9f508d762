/**
 * Hundreds of shards in flight, whose heartbeats are too seldom to end them soon: cancelled, failed, and told to end by
 * nobody who may, on a real Temporal server. Their heartbeats come every 46 s here, so none is sent in a test that passes.
 * Costs about 15 s.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure, activityInfo, CancelledFailure, CompleteAsyncError, Context } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { MockActivityEnvironment, type TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withHeartbeat } from '../../activities/edge.ts';
import { standDownSignal } from '../../activities/nodes/stand-down.ts';
import { standDownWorkflowId } from '../../data/schemas/heartbeats.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { localServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities, HOST_QUEUE } from './fake-activities.ts';
import { type StandingWorkers, standingWorkers } from './standing-workers.ts';

const SHARDS = 8;
/** Of a fleet with so many, shards in flight are more than have heartbeats at the usual pace. */
const NODES = 200;
const HEARTBEAT_TIMEOUT_MS = 600_000;

let server: TestWorkflowEnvironment;
let workers: StandingWorkers;

beforeAll(async () => {
  server = await localServer();
  workers = await standingWorkers(server, [HOST_QUEUE, contracts.LEAN_QUEUE]);
});
afterAll(async () => {
  await workers?.stop();
  await server?.teardown();
});

interface Fleet {
  readonly fakes: Fakes;
  /** Shard and attempt of all that began. */
  readonly begun: string[];
  /** How each ended that did not come to its end by itself. */
  readonly ended: unknown[];
  readonly heartbeats: unknown[];
  /** What a shard comes to, before it waits for its signal. */
  work: (shard: string) => Promise<'done' | 'endless'>;
}

/** A fleet whose shards work until they are told to end, or as `work` says. */
function fleet(nodes: number = NODES): Fleet {
  const fakes = fakeActivities(SHARDS);
  const { verifyShard } = fakes.activities;
  const made: Fleet = { fakes, begun: [], ended: [], heartbeats: [], work: async () => 'endless' };
  Object.assign(fakes.activities, {
    countWorkers: async () => nodes,
    cutProofs: async () => [],
    verifyShard: async (input: Parameters<typeof verifyShard>[0]) => {
      // What the server was told stays; only the worker's own heartbeats become so seldom.
      if (activityInfo().heartbeatTimeoutMs! > 20_000)
        Object.assign(activityInfo(), { heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS });
      const context = Context.current();
      const { heartbeat } = context;
      const counted = (details: unknown): void => {
        made.heartbeats.push(details);
        heartbeat(details);
      };
      Object.assign(context, { heartbeat: counted });
      return withHeartbeat(async (signal) => {
        made.begun.push(`${input.name} ${activityInfo().attempt}`);
        if ((await made.work(input.name)) === 'done') return verifyShard(input);
        await pause(HEARTBEAT_TIMEOUT_MS, undefined, { signal });
        throw new Error('nobody ended the shard');
      }).catch((error: unknown) => {
        made.ended.push(error);
        throw error;
      });
    },
  });
  return made;
}

async function start(): Promise<WorkflowHandle> {
  return server.client.workflow.start(contracts.EVALUATE_TYPE, {
    workflowId: contracts.evaluateWorkflowId(`stand-down-${randomUUID().slice(0, 8)}`),
    taskQueue: contracts.CONTROL_QUEUE,
    args: [{ modelName: 'model' }],
  });
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await pause(20);
};

async function eventCounts(handle: WorkflowHandle): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const event of (await handle.fetchHistory()).events ?? []) {
    const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes'))!;
    counts[kind.replace('EventAttributes', '')] = (counts[kind.replace('EventAttributes', '')] ?? 0) + 1;
  }
  return counts;
}

const standDownOf = ({ workflowId }: WorkflowHandle): WorkflowHandle =>
  server.client.workflow.getHandle(standDownWorkflowId(workflowId));

const stateOf = async (handle: WorkflowHandle): Promise<string> => (await handle.describe()).status.name;

describe('shards with seldom heartbeats', () => {
  it('hear of a cancellation without one, and end as cancelled', async () => {
    const made = fleet();
    await workers.with(made.fakes, async () => {
      const handle = await start();
      await until(() => made.begun.length === SHARDS);
      await handle.cancel();
      const failure = await handle.result().catch((error: unknown) => error);
      expect((failure as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
      expect(made.heartbeats).toEqual([]);
      expect(made.ended).toHaveLength(SHARDS);
      for (const error of made.ended) expect(error).toBeInstanceOf(CompleteAsyncError);
      expect(await eventCounts(handle)).toMatchObject({
        activityTaskCancelRequested: SHARDS,
        activityTaskCanceled: SHARDS,
      });
      expect(await eventCounts(handle)).not.toHaveProperty('activityTaskFailed');
      expect(await stateOf(standDownOf(handle))).toBe('CANCELLED');
    });
  });

  it('hear that one of them has failed, and of nothing else', async () => {
    const made = fleet();
    made.work = async (shard) => {
      if (!shard.endsWith('5')) return 'endless';
      await until(() => made.begun.length === SHARDS);
      throw ApplicationFailure.nonRetryable('the fifth is broken', 'STP1701');
    };
    await workers.with(made.fakes, async () => {
      const handle = await start();
      const failure = await handle.result().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WorkflowFailedError);
      expect(String((failure as WorkflowFailedError).cause?.cause)).toContain('the fifth is broken');
      expect(made.heartbeats).toEqual([]);
      expect(made.begun).toHaveLength(SHARDS);
      expect(await eventCounts(handle)).toMatchObject({ activityTaskCanceled: SHARDS - 1, activityTaskFailed: 1 });
    });
  });

  it('are done when they are done, and what would have ended them is gone', async () => {
    const made = fleet();
    made.work = async () => 'done';
    await workers.with(made.fakes, async () => {
      const handle = await start();
      await handle.result();
      expect(made.ended).toEqual([]);
      await expect(standDownOf(handle).result()).rejects.toBeInstanceOf(WorkflowFailedError);
    });
  });

  it('are tried again where somebody ended them whom the server knows nothing of', async () => {
    const made = fleet();
    made.work = async () => (activityInfo().attempt === 1 ? 'endless' : 'done');
    await workers.with(made.fakes, async () => {
      const handle = await start();
      await until(() => made.begun.length === SHARDS);
      await standDownOf(handle).cancel();
      await handle.result();
      expect(made.ended).toHaveLength(SHARDS);
      for (const error of made.ended) expect(error).toBeInstanceOf(CancelledFailure);
      expect(made.begun.filter((name) => name.endsWith(' 2'))).toHaveLength(SHARDS);
    });
  });

  it('end by heartbeats where the workflow could not have its stand-down', async () => {
    const made = fleet();
    made.work = async () => 'done';
    const name = `taken-${randomUUID().slice(0, 8)}`;
    const workflowId = contracts.evaluateWorkflowId(name);
    await workers.with(made.fakes, async () => {
      const taskQueue = contracts.CONTROL_QUEUE;
      const other = await server.client.workflow.start(contracts.STAND_DOWN_TYPE, {
        workflowId: standDownWorkflowId(workflowId),
        taskQueue,
      });
      const args = [{ modelName: 'model' }];
      const handle = await server.client.workflow.start(contracts.EVALUATE_TYPE, { workflowId, taskQueue, args });
      await handle.result();
      expect(await eventCounts(handle)).toHaveProperty('startChildWorkflowExecutionFailed', 1);
      await other.terminate();
    });
  });
});

it('a few shards have their heartbeats at the usual pace and no stand-down', async () => {
  const made = fleet(1);
  made.work = async () => 'done';
  await workers.with(made.fakes, async () => {
    const handle = await start();
    await handle.result();
    expect(await eventCounts(handle)).not.toHaveProperty('startChildWorkflowExecutionInitiated');
  });
});

describe('what an activity hears', () => {
  /** The signal of an activity of that workflow, scheduled then, and what ends its listening. */
  async function listener(workflowId: string, scheduledAtMs = 0) {
    const environment = new MockActivityEnvironment(
      { workflowExecution: { workflowId, runId: randomUUID() }, currentAttemptScheduledTimestampMs: scheduledAtMs },
      { client: server.client },
    );
    const over = new AbortController();
    return { signal: (await environment.run(async () => standDownSignal(over.signal))) as AbortSignal, over };
  }
  const begin = (workflowId: string): Promise<WorkflowHandle> =>
    server.client.workflow.start(contracts.STAND_DOWN_TYPE, {
      workflowId: standDownWorkflowId(workflowId),
      taskQueue: contracts.CONTROL_QUEUE,
    });

  it('is the end of its own workflow alone, and nothing once it is over', async () => {
    const [mine, other] = [randomUUID(), randomUUID()];
    const handles = await Promise.all([begin(mine), begin(other)]);
    const [heard, spared, ended] = await Promise.all([listener(mine), listener(other), listener(mine)]);
    const nobody = await listener(randomUUID());
    ended.over.abort();
    await handles[0].cancel();
    await until(() => heard.signal.aborted);
    expect(heard.signal.reason).toBeInstanceOf(CancelledFailure);
    expect([spared.signal.aborted, ended.signal.aborted, nobody.signal.aborted]).toEqual([false, false, false]);
    await handles[1].cancel();
    await until(() => spared.signal.aborted);
  });

  it('is nothing that was said before it was scheduled', async () => {
    const workflowId = randomUUID();
    const handle = await begin(workflowId);
    await handle.cancel();
    await handle.result().catch(() => undefined);
    const closedAtMs = (await handle.describe()).closeTime!.getTime();
    const later = await listener(workflowId, closedAtMs + 1);
    const earlier = await listener(workflowId, closedAtMs);
    await until(() => earlier.signal.aborted);
    // Both asked the same server, the later one first; a round trip more than covers what is left.
    await handle.describe();
    expect(later.signal.aborted).toBe(false);
  });
});
