/**
 * The worker of the queue that all nodes with Lean share. On a full disk every task would fail faster than other
 * machines complete theirs, so the worker takes no task until there is space. Other machines do the work, or it waits
 * untried in the queue.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isFull } from '@stp/lean-verifier';
import { pauseForSpace } from '../activities/full-disk.ts';
import type { RunnableWorker } from './run-together.ts';

const LOOK_MS = 5_000;

export interface LeanWorkerOptions {
  /** Makes a Temporal worker that calls `onFull` whenever an activity finds the disk full. */
  create(onFull: () => void): Promise<RunnableWorker>;
  freeBytes(): Promise<number>;
  readonly say: (line: string) => void;
}

/** Ends like the worker that it makes; while it waits, by SIGINT and SIGTERM. */
export async function leanWorker({ create, freeBytes, say }: LeanWorkerOptions): Promise<RunnableWorker> {
  const stop = new AbortController();
  const { signal } = stop;
  let wasFull = false;
  let isWaiting = false;

  const onFull = (): void => {
    if (wasFull) return;
    wasFull = true;
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };

  /**
   * If the disk seems to have space, a quota or another disk is full, which cannot be measured. The worker then tries
   * again after pauses.
   */
  async function untilSpace(times: number): Promise<void> {
    if (!isFull(await freeBytes())) return void (await pause(pauseForSpace(times), undefined, { signal }));
    do await pause(LOOK_MS, undefined, { signal });
    while (isFull(await freeBytes()));
  }

  let worker = await create(onFull);
  return {
    getState: () => (isWaiting ? 'RUNNING' : worker.getState()),
    shutdown() {
      stop.abort();
      if (!isWaiting) worker.shutdown();
    },
    async run() {
      for (let times = 1; ; times++) {
        const running = worker.run();
        // The worker was told to end while it was being made.
        if (signal.aborted) worker.shutdown();
        await running;
        if (!wasFull || signal.aborted) return;
        say('the disk is full: no checks are taken on here until there is space');
        isWaiting = true;
        const end = (): void => stop.abort();
        process.once('SIGINT', end).once('SIGTERM', end);
        try {
          await untilSpace(times);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        } finally {
          process.off('SIGINT', end).off('SIGTERM', end);
        }
        wasFull = false;
        worker = await create(onFull);
        isWaiting = false;
        say('checks are taken on again');
      }
    },
  };
}
