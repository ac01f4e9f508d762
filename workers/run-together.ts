/** Runs several Temporal workers of one process together: if one fails, the others end too, and its error is thrown. */
import type { Worker } from '@temporalio/worker';

/** The parts of a worker that are needed here. */
export type RunnableWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/**
 * Runs until every worker has ended; `onStarted` is called when all have begun. Throws the error of the first that
 * failed, and not before all have ended: what they share (ports, connection) can be closed then.
 */
export async function runTogether(workers: readonly RunnableWorker[], onStarted: () => void): Promise<void> {
  const running = workers.map((worker) => worker.run());
  try {
    onStarted();
    await Promise.all(running);
  } catch (error) {
    // One that is ending already refuses to be told so.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(running);
    throw error;
  }
}
