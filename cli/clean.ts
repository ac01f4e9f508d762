/** `stp clean RUN`: the clean-up that every run does by itself, on demand. */
import { basename, dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localNodes } from '../infra/nodes/local-nodes.ts';
import { localHostQueue } from '../workers/assemble.ts';
import { localRunName, workerSettings } from '../workers/settings.ts';

/** @param nameOrFolder a run in the worker's store, or a run folder anywhere */
export async function clean(nameOrFolder: string): Promise<void> {
  const { scratchDirectory, storeUri } = workerSettings();
  const isFolder = nameOrFolder.includes(sep);
  const run = isFolder ? basename(resolve(nameOrFolder)) : nameOrFolder;
  const local = localRunName(isFolder ? pathToFileURL(dirname(resolve(nameOrFolder))).href : storeUri, run);
  const report = await localNodes({ scratchDirectory, taskQueue: localHostQueue() }).cleanUp(local);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${report.processesEnded} processes of run ${run} ended; ${megabytes(report.memoryBytesFreed)} of memory and ` +
      `${megabytes(report.scratchBytesFreed)} of scratch files freed; they had used ${report.cpuSecondsUsed.toFixed(0)} s of CPU`,
  );
}
