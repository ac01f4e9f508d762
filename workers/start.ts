/**
 * The common part of every worker entry point: settings, Lean, ports, workers, and a line on stdout when it is ready.
 */
import { StpError } from '@stp/base';
import { assemblePorts } from './assemble.ts';
import { leanEnvironment } from './lean-environment.ts';
import { runWorkers, type WorkerRole } from './run-workers.ts';
import { workerSettings } from './settings.ts';

/** The line that tells a parent process that the workers poll. */
export const READY_LINE = 'stp worker ready';

/** Time for a graceful end once the parent process is gone, ms. */
const ORPHAN_GRACE_MS = 10_000;

export async function startWorker(roles: readonly WorkerRole[]): Promise<void> {
  // Where its log lies on a disk that is full, lines are lost; the worker is not.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  });
  // Listening must not keep a worker alive that has nothing left to do.
  process.channel?.unref();
  try {
    const settings = workerSettings();
    const environment = await leanEnvironment(settings, (line) => console.error(line));
    const ports = await assemblePorts(settings, environment);
    await runWorkers(roles, settings, ports, () => console.log(READY_LINE));
  } catch (error) {
    console.error(error instanceof StpError ? error.toText() : error);
    process.exitCode = 1;
  }
}
