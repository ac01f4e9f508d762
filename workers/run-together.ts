/** Runs several Temporal workers in one process. If one fails, the others end too, and its error is thrown. */
import type { Worker } from '@temporalio/worker';

/** The parts of a worker that are needed here. */
export type RunnableWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/**
 * Runs until every worker has ended; `onStarted` is called when all have started. Throws the error of the first failed
 * worker, but only after all have ended, so that shared ports and connections can be closed.
 */
export async function runTogether(workers: readonly RunnableWorker[], onStarted: () => void): Promise<void> {
  const running = workers.map((worker) => worker.run());
  try {
    onStarted();
    await Promise.all(running);
  } catch (error) {
    // A worker that is already ending rejects `shutdown`.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.allSettled(running);
    throw error;
  }
}
