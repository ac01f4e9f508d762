/** `stp clean [RUN]`: runs on demand the clean-up that every run and worker does by itself. */
import { basename, dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localNodes } from '../../infra/nodes/local-nodes.ts';
import type { CleanUpReport } from '../../infra/nodes/nodes.ts';
import { localHostQueue } from '../../workers/assemble.ts';
import { localRunName, workerSettings } from '../../workers/settings.ts';

/**
 * @param nameOrFolder a run in the worker's store, or a run folder anywhere; without one, it cleans up after dead
 * workers of this machine
 */
export async function clean(nameOrFolder: string | undefined): Promise<void> {
  const { scratchDirectory, storeUri } = workerSettings();
  const nodes = localNodes({ scratchDirectory, taskQueue: localHostQueue() });
  if (nameOrFolder === undefined) return say('of workers that are gone', await nodes.sweep(null));
  const isFolder = nameOrFolder.includes(sep);
  const run = isFolder ? basename(resolve(nameOrFolder)) : nameOrFolder;
  const local = localRunName(isFolder ? pathToFileURL(dirname(resolve(nameOrFolder))).href : storeUri, run);
  say(`of run ${run}`, await nodes.cleanUp(local));
}

function say(whose: string, report: CleanUpReport): void {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${report.processesEnded} processes ${whose} ended; ${megabytes(report.memoryBytesFreed)} of memory and ` +
      `${megabytes(report.scratchBytesFreed)} of scratch files freed; they had used ${report.cpuSecondsUsed.toFixed(0)} s of CPU`,
  );
}
