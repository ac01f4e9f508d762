/** Tests how work is dealt to several machines, and dealt again when one is lost. Waits need no Temporal server. */
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { ActivityFailure } from '@temporalio/workflow';
import { expect, it, vi } from 'vitest';
import { MachinePool } from '../../workflows/nodes/machine-pool.ts';

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<typeof import('@temporalio/workflow')>()),
  log: { warn: () => undefined },
  async condition(isTrue: () => boolean) {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  },
}));

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** As an activity fails whose queue nobody polls, or whose worker is gone. */
function lost(type: 'SCHEDULE_TO_START' | 'HEARTBEAT'): ActivityFailure {
  const timeout = new TimeoutFailure('activity timed out', undefined, type);
  return new ActivityFailure('activity failed', 'sampleShard', '1', 'TIMEOUT', 'worker', timeout);
}

it('gives each machine one piece at a time, in the order they came', async () => {
  const pool = new MachinePool(['a', 'b']);
  const [begun, busy]: [string[], Set<string>] = [[], new Set()];
  const pieces = Array.from({ length: 7 }, (_, piece) =>
    pool.run(async (queue) => {
      expect(busy.has(queue)).toBe(false);
      busy.add(queue);
      begun.push(`${piece}`);
      // One machine is four times as fast as the other.
      for (let turn = 0; turn < (queue === 'a' ? 1 : 4); turn++) await soon();
      busy.delete(queue);
      return queue;
    }),
  );
  const queues = await Promise.all(pieces);
  expect(begun).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  expect(queues.filter((queue) => queue === 'a').length).toBeGreaterThan(3);
  expect(new Set(queues)).toEqual(new Set(['a', 'b']));
});

/** As an activity fails on a machine without space. */
function full(): ActivityFailure {
  const failure = ApplicationFailure.create({ message: 'ENOSPC', type: 'STP1406' });
  return new ActivityFailure('activity failed', 'sampleShard', '1', 'NON_RETRYABLE_FAILURE', 'worker', failure);
}

it.each([
  ['that nobody serves', () => lost('SCHEDULE_TO_START')],
  ['that fell silent', () => lost('HEARTBEAT')],
  ['whose disk is full', full],
] as const)('deals the work of a machine %s to another', async (_, failure) => {
  const pool = new MachinePool(['a', 'b', 'c']);
  const asked: string[] = [];
  const work = (piece: number) => async (queue: string) => {
    asked.push(queue);
    await soon();
    if (queue === 'b') throw failure();
    return piece;
  };
  expect(await Promise.all([0, 1, 2, 3, 4, 5].map((piece) => pool.run(work(piece))))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(asked.filter((queue) => queue === 'b')).toHaveLength(1);
});

it('says what happened where the last machine is lost, and what fails for another reason', async () => {
  const pool = new MachinePool(['a', 'b']);
  const work = async (queue: string): Promise<string> => {
    if (queue === 'a') throw lost('HEARTBEAT');
    throw new Error('out of memory');
  };
  await expect(pool.run(work)).rejects.toThrow('out of memory');
  await expect(pool.run(async () => Promise.reject(lost('HEARTBEAT')))).rejects.toThrow('activity failed');
  // The machine that failed still exists and is the last one: its work may wait for space.
  expect(await pool.run(async (_, isLast) => isLast)).toBe(true);
  expect(await pool.run(async (queue) => queue)).toBe('b');
});
