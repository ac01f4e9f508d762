/**
 * Keeps workers over the tests of a file, with the activities of the present test: making a worker for workflows costs
 * a second.
 */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import { CONTROL_QUEUE } from '../../workflows/control/contracts.ts';
import { type Fakes, fakeActivities } from './fake-activities.ts';

type AnyActivity = (...input: unknown[]) => Promise<unknown>;

export interface StandingWorkers {
  /** Runs `work` while the workers' activities are these. */
  with<T>(fakes: Fakes, work: () => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts workers on the queue of control, with workflows, and on `queues`. */
export async function standingWorkers(
  server: TestWorkflowEnvironment,
  queues: readonly string[],
): Promise<StandingWorkers> {
  const codePath = await workflowBundle(workerSettings().cacheDirectory);
  let current: Fakes | null = null;
  const activities = Object.fromEntries(
    Object.keys(fakeActivities().activities).map((name) => [
      name,
      (...input: unknown[]) => (current!.activities as unknown as Record<string, AnyActivity>)[name]!(...input),
    ]),
  );
  const common = { connection: server.nativeConnection, activities };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: CONTROL_QUEUE, workflowBundle: { codePath } }),
    ...queues.map((taskQueue) => Worker.create({ ...common, taskQueue })),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  // A worker that ended by itself fails the test that waits for it, and `stop`.
  running.catch(() => undefined);
  return {
    async with(fakes, work) {
      current = fakes;
      return Promise.race([work(), running.then(() => Promise.reject(new Error('the workers ended')))]);
    },
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
    },
  };
}
