/** The `Nodes` port for the machine we run on: there is one node, it is always there, and only its leftovers matter. */
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { StpError } from '../../data/errors.ts';
import { endMarkedProcesses } from './marked-processes.ts';
import type { Nodes } from './nodes.ts';

/** Unit of `Stats.blocks` (POSIX). */
const BLOCK_BYTES = 512;
const RUN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

export interface LocalNodesOptions {
  /** Folder that holds a folder a run for files that may vanish. */
  readonly scratchDirectory: string;
  /** Task queue of the worker on this machine. */
  readonly taskQueue: string;
}

export function localNodes({ scratchDirectory, taskQueue }: LocalNodesOptions): Nodes {
  const node = hostname();
  return {
    async provision(run) {
      const scratch = runScratchDirectory(scratchDirectory, run);
      await mkdir(scratch, { recursive: true }).catch((error: Error) => {
        throw new StpError(
          'STP1401',
          `scratch folder ${scratch}: ${error.message}`,
          'Choose a scratch folder that this user may write to, with free space.',
          { facts: { scratch }, cause: error },
        );
      });
      return [{ name: node, taskQueue, cpuCores: availableParallelism(), memoryBytes: memoryBytes() }];
    },
    async cleanUp(run) {
      const scratch = runScratchDirectory(scratchDirectory, run);
      // Processes first: they may still write there.
      const ended = await endMarkedProcesses(run);
      const scratchBytesFreed = await bytesUnder(scratch);
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 }).catch((error: Error) => {
        throw new StpError('STP1601', `scratch folder ${scratch}: ${error.message}`, 'Remove that folder by hand.', {
          facts: { run, scratch },
          cause: error,
        });
      });
      return {
        node,
        processesEnded: ended.processes,
        memoryBytesFreed: ended.memoryBytes,
        cpuSecondsUsed: ended.cpuSeconds,
        scratchBytesFreed,
      };
    },
    // The machine was there before the run and stays.
    async release() {},
  };
}

/** `scratchDirectory/run`; STP1002 for a run that is not one plain part of a path, as what lies there is removed. */
function runScratchDirectory(scratchDirectory: string, run: string): string {
  if (RUN.test(run)) return join(scratchDirectory, run);
  throw new StpError(
    'STP1002',
    `run ${JSON.stringify(run)} cannot name a folder`,
    'Name runs with letters, digits, "-", "_" and "."; the first is a letter or digit.',
    { facts: { run } },
  );
}

/** Memory this process may use: a container's limit where there is one. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** Bytes allocated on disk for a folder and all it holds; links are counted, not followed. 0 when there is none. */
async function bytesUnder(path: string): Promise<number> {
  const own: Stats | null = await lstat(path).catch(() => null);
  if (own === null) return 0;
  let bytes = own.blocks * BLOCK_BYTES;
  if (!own.isDirectory()) return bytes;
  for (const name of await readdir(path).catch(() => [] as string[])) bytes += await bytesUnder(join(path, name));
  return bytes;
}
