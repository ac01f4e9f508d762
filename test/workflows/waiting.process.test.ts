/**
 * Tests a run that waits for machines for 30 days, the longest that a configuration allows, on a server whose clock
 * jumps over waits: its history stays far below the limit. Costs about 40 s.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodesState, RequestResult } from '../../infra/nodes/provider.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import * as contracts from '../../workflows/control/contracts.ts';
import { timeSkippingServer } from '../support/temporal.ts';
import { type Fakes, fakeActivities } from './fake-activities.ts';

const MINUTES_PER_DAY = 24 * 60;
/**
 * One poll a minute would be 43,200 in 30 days. The test polls less often, which costs the workflow nothing either way.
 */
const LOOK_EVERY_MS = 3_600_000;
/** Events at which Temporal ends a workflow. */
const EVENTS_LIMIT = 51_200;

let server: TestWorkflowEnvironment;
let codePath: string;
beforeAll(async () => {
  [server, codePath] = await Promise.all([timeSkippingServer(), workflowBundle(workerSettings().cacheDirectory)]);
});
afterAll(() => server?.teardown());

/** The activity, with longer pauses between its polls. */
const rarely =
  <Input, Result>(activity: (input: Input) => Promise<Result>) =>
  async (input: Input): Promise<Result> => {
    try {
      return await activity(input);
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || error.type !== 'STP_WAITING') throw error;
      throw ApplicationFailure.create({ message: error.message, type: error.type, nextRetryDelay: LOOK_EVERY_MS });
    }
  };

async function wait(fakes: Fakes, minutesMax: number): Promise<{ message: string; events: number; minutes: number }> {
  const { activities } = fakes;
  activities.nodesState = rarely(activities.nodesState);
  activities.requestNodes = rarely(activities.requestNodes);
  const worker = await Worker.create({
    ...{ connection: server.nativeConnection, taskQueue: contracts.CONTROL_QUEUE, workflowBundle: { codePath } },
    activities,
  });
  return worker.runUntil(async () => {
    const handle = await server.client.workflow.start(contracts.SELFPLAY_TYPE, {
      workflowId: contracts.selfplayWorkflowId('waiting'),
      taskQueue: contracts.CONTROL_QUEUE,
      args: [
        {
          rounds: 1,
          set: {
            ...{ 'nodes.provider': 'tpu', 'nodes.project': 'test-project', 'nodes.zone': 'us-central2-b' },
            ...{ 'nodes.accelerator': 'v4-256', 'nodes.validUntilMinutes': minutesMax },
          },
        },
      ],
    });
    const error = (await handle.result().catch((thrown: unknown) => thrown)) as Error;
    const { startTime, closeTime, historyLength } = await handle.describe();
    return {
      message: (error.cause as Error).message,
      events: historyLength,
      minutes: (closeTime!.getTime() - startTime.getTime()) / 60_000,
    };
  });
}

const WAITING: NodesState = { kind: 'waiting', reason: 'WAITING_FOR_RESOURCES' };
const SHORT: RequestResult = { kind: 'no-capacity', reason: 'ZONE_RESOURCE_POOL_EXHAUSTED' };
const FAILED: NodesState = { kind: 'failed', reason: 'no more capacity', advice: 'Wait longer', again: true };

describe.each<[string, days: number, RequestResult, NodesState, eventsMax: number, tags: readonly string[]]>([
  ['what was asked for does not come', 30, { kind: 'accepted' }, WAITING, 100, []],
  ['the asking finds no capacity', 30, SHORT, WAITING, 100, ['slow']],
  // The number of events grows with the days here, by one failed set at a time.
  ['every set that was asked for fails', 10, { kind: 'accepted' }, FAILED, EVENTS_LIMIT / 6, ['slow']],
])('where %s for %i days', (_, days, asked, state, eventsMax, tags) => {
  it('the run says so in the end and its history is small', { tags: [...tags] }, async () => {
    const fakes = fakeActivities(1);
    fakes.asked = asked;
    fakes.state = () => state;
    const minutesMax = days * MINUTES_PER_DAY;
    const { message, events, minutes } = await wait(fakes, minutesMax);
    expect(message).toContain(`there were no machines within ${minutesMax} minutes`);
    expect(minutes).toBeGreaterThan(0.98 * minutesMax);
    expect(events).toBeLessThan(eventsMax);
    expect(fakes.calls.at(-1)).toBe('releaseCloudNodes');
  });
});
