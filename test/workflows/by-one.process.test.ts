/**
 * Tests work that one machine does, and that another takes over if the first is lost or full. Without a Temporal
 * server: a machine is its queue.
 */
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { ActivityFailure, type ActivityOptions } from '@temporalio/workflow';
import { expect, it, vi } from 'vitest';
import { byOne } from '../../workflows/nodes/machine-pool.ts';

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  log: { warn: () => undefined },
  proxyActivities: (options: ActivityOptions) => options,
}));

const QUEUES = ['a', 'b', 'c'];

/** As an activity fails, with what led to it. */
const failed = (cause: Error): ActivityFailure =>
  new ActivityFailure('activity failed', 'trainModel', '1', 'NON_RETRYABLE_FAILURE', 'worker', cause);
const full = (): ActivityFailure =>
  failed(ApplicationFailure.create({ message: 'no space left', type: 'STP1406', nonRetryable: true }));
const lost = (type: 'SCHEDULE_TO_START' | 'HEARTBEAT' | 'START_TO_CLOSE'): ActivityFailure =>
  failed(new TimeoutFailure('activity timed out', undefined, type));

/** The machines that were asked, in order, and what came of it. */
async function play(why: (queue: string) => Error | null): Promise<{ asked: string[]; result: unknown }> {
  const asked: string[] = [];
  const result = await byOne(QUEUES, 'train', async (machine) => {
    const { taskQueue: queue } = machine as ActivityOptions as { taskQueue: string };
    asked.push(queue);
    const error = why(queue);
    if (error !== null) throw error;
    return `done by ${queue}`;
  }).catch((error: Error) => error);
  return { asked, result };
}

it.each([
  ['has no space left', full],
  ['is not there', () => lost('SCHEDULE_TO_START')],
  ['fell silent', () => lost('HEARTBEAT')],
])('goes to the next machine where one %s', async (_, failure) => {
  expect(await play((queue) => (queue === 'c' ? null : failure()))).toEqual({
    asked: ['a', 'b', 'c'],
    result: 'done by c',
  });
});

it('stays with the first machine where that does it', async () => {
  expect(await play(() => null)).toEqual({ asked: ['a'], result: 'done by a' });
});

it.each([
  ['what is asked is wrong', () => failed(ApplicationFailure.create({ message: 'no', type: 'STP1002' }))],
  ['it takes too long', () => lost('START_TO_CLOSE')],
])('fails where %s: another machine would fail too', async (_, failure) => {
  const error = failure();
  expect(await play(() => error)).toEqual({ asked: ['a'], result: error });
});

it('fails with what the last machine says', async () => {
  const errors = new Map(QUEUES.map((queue) => [queue, full()]));
  expect(await play((queue) => errors.get(queue)!)).toEqual({ asked: QUEUES, result: errors.get('c') });
});
