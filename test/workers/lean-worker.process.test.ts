/** A worker of Lean's queue whose disk is full, by what of Temporal's workers counts here, and on a clock of the test's. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { leanWorker } from '../../workers/lean-worker.ts';
import type { RunnableWorker } from '../../workers/run-together.ts';

const GIGABYTE = 1_024 ** 3;

// On the test's clock.
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, _: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      globalThis.setTimeout(resolve, ms);
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Workers of Temporal in the order in which they were made: each ends when it is told to, once. */
async function started(freeBytes: () => number, onSecond: () => void = () => undefined) {
  const made: { onFull: () => void; state: string }[] = [];
  const said: string[] = [];
  const worker = await leanWorker({
    create: async (onFull) => {
      const ended = Promise.withResolvers<void>();
      const own = { onFull, state: 'INITIALIZED' };
      made.push(own);
      if (made.length === 2) onSecond();
      return {
        run: async () => {
          own.state = 'RUNNING';
          await ended.promise;
          own.state = 'STOPPED';
        },
        shutdown: () => {
          if (own.state !== 'RUNNING') throw new Error(`not running but ${own.state}`);
          own.state = 'STOPPING';
          ended.resolve();
        },
        getState: () => own.state as ReturnType<RunnableWorker['getState']>,
      };
    },
    freeBytes: async () => freeBytes(),
    say: (line) => void said.push(line),
  });
  let isOver = false;
  const running = worker.run().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return { made, said, worker, running, isOver: () => isOver };
}

it('takes nothing while the disk is full, and goes on soon after there is space', async () => {
  let free = 10_000;
  const { made, said, worker, running } = await started(() => free);
  made[0]!.onFull();
  // Others that were under way find it full as well.
  made[0]!.onFull();
  await vi.advanceTimersByTimeAsync(3 * 3_600_000);
  expect(made.map(({ state }) => state)).toEqual(['STOPPED']);
  expect(worker.getState()).toBe('RUNNING');
  free = GIGABYTE;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(made.map(({ state }) => state)).toEqual(['STOPPED', 'RUNNING']);
  expect(said).toHaveLength(2);
  worker.shutdown();
  await running;
});

it('tries again after growing pauses where a quota is full and the disk is not', async () => {
  const { made, worker, running } = await started(() => GIGABYTE);
  made[0]!.onFull();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(made).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(made).toHaveLength(2);
  made[1]!.onFull();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(made).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  expect(made).toHaveLength(3);
  worker.shutdown();
  await running;
});

it('ends while it waits when it is told to', async () => {
  const { made, worker, running, isOver } = await started(() => 0);
  made[0]!.onFull();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isOver()).toBe(false);
  worker.shutdown();
  await running;
  expect(made).toHaveLength(1);
});

it('ends while it waits by the signals that end a worker', async () => {
  const once = vi.spyOn(process, 'once');
  const off = vi.spyOn(process, 'off');
  const { made, running, isOver } = await started(() => 0);
  made[0]!.onFull();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isOver()).toBe(false);
  const heard = once.mock.calls.filter(([name]) => ['SIGINT', 'SIGTERM'].includes(name as string));
  expect(heard.map(([name]) => name)).toEqual(['SIGINT', 'SIGTERM']);
  heard[1]![1]('SIGTERM');
  await running;
  expect(made).toHaveLength(1);
  for (const [name, listener] of heard) expect(off).toHaveBeenCalledWith(name, listener);
});

it('ends when it is told to while it makes another worker', async () => {
  let free = 0;
  const { made, worker, running } = await started(
    () => free,
    () => worker.shutdown(),
  );
  made[0]!.onFull();
  await vi.advanceTimersByTimeAsync(60_000);
  free = GIGABYTE;
  await vi.advanceTimersByTimeAsync(5_000);
  await running;
  expect(made.map(({ state }) => state)).toEqual(['STOPPED', 'STOPPED']);
});

it('ends as its worker does where the disk is not full', async () => {
  const { made, worker, running } = await started(() => 0);
  worker.shutdown();
  await running;
  expect(made.map(({ state }) => state)).toEqual(['STOPPED']);
});
