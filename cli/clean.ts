/** `stp clean RUN`: the clean-up that every run does by itself, on demand. */
import { localNodes } from '../infra/nodes/local-nodes.ts';
import { localHostQueue } from '../workers/assemble.ts';
import { workerSettings } from '../workers/settings.ts';

export async function clean(run: string): Promise<void> {
  const { scratchDirectory } = workerSettings();
  const report = await localNodes({ scratchDirectory, taskQueue: localHostQueue() }).cleanUp(run);
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${report.processesEnded} processes of run ${run} ended; ${megabytes(report.memoryBytesFreed)} of memory and ` +
      `${megabytes(report.scratchBytesFreed)} of scratch files freed; they had used ${report.cpuSecondsUsed.toFixed(0)} s of CPU`,
  );
}
