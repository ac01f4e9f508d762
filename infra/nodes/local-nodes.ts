/** The `Nodes` port for this machine: one node, always available, of which only leftovers are cleaned. */

import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { StpError } from '@stp/base';
import type { RunMark } from '@stp/base/files';
import { ageSeconds, isOwnerGone, ownerOfThisProcess } from '@stp/base/files';
import { orphanFolders } from './command-scratch.ts';
import { endControlGroups } from './control-groups.ts';
import { type EndedProcesses, endMarkedProcesses, findMeant, type MarkedProcess } from './marked-processes.ts';
import { type CleanUpReport, type CleanUpScope, type Nodes, sumReports } from './nodes.ts';

/** Unit of `Stats.blocks` (POSIX). */
const BLOCK_BYTES = 512;
/**
 * Processes of a run that is missing from the list of open runs are spared below this age, because the run may have
 * started after the list was made.
 */
const CLOSED_RUN_AGE_SECONDS_MIN = 600;
/** A run's name on this machine, which is longer than the run's own name (`workers/settings.ts`). */
const RUN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

export interface LocalNodesOptions {
  /** Parent of the runs' folders for files that may vanish. */
  readonly scratchDirectory: string;
  /** Task queue of the worker on this machine. */
  readonly taskQueue: string;
  /** Releases what this process holds for the run: warm Lean processes, and with `all` also its engine. */
  readonly release?: (run: string, what: CleanUpScope) => Promise<void>;
}

export function localNodes({ scratchDirectory, taskQueue, release }: LocalNodesOptions): Nodes {
  const node = hostname();
  const report = (ended: EndedProcesses, scratchBytesFreed: number): CleanUpReport => ({
    node,
    processesEnded: ended.processes,
    memoryBytesFreed: ended.memoryBytes,
    cpuSecondsUsed: ended.cpuSeconds,
    scratchBytesFreed,
  });
  const cleanUp = async (run: string, what: CleanUpScope = 'all'): Promise<CleanUpReport> => {
    const scratch = runScratchDirectory(scratchDirectory, run);
    // Processes come first, because they may still write into the folder.
    const ended = await end(
      `processes of run ${run}`,
      (mark) => mark.run === run && (what === 'all' || mark.part === what),
      release === undefined ? undefined : () => release(run, what),
    );
    return report(ended, what === 'all' ? await removeScratch(scratch, run) : 0);
  };
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
    cleanUp,
    async sweep(openRuns) {
      const isLeftover = async ({ owner }: RunMark): Promise<boolean> => owner !== null && isOwnerGone(owner);
      const ended = await end('processes whose worker is gone', isLeftover);
      const reports = [report(ended, await removeOrphanFolders(scratchDirectory))];
      if (openRuns !== null)
        for (const run of await heldRuns()) if (!openRuns.includes(run)) reports.push(await cleanUp(run));
      return reports.reduce(sumReports);
    },
    async runsWithFiles() {
      const entries = await readdir(scratchDirectory, { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isDirectory() && RUN.test(entry.name)).map(({ name }) => name);
    },
    // The machine existed before the run and stays.
    async release() {},
  };
}

/** Ends processes by mark, then by control group, which also contains processes without their mark. */
async function end(
  what: string,
  isMeant: (mark: RunMark) => boolean | Promise<boolean>,
  release?: () => Promise<void>,
): Promise<EndedProcesses> {
  const marked = await endMarkedProcesses({
    what,
    isMeant: ({ mark }) => isMeant(mark),
    ...(release === undefined ? {} : { release }),
  });
  return { ...marked, processes: marked.processes + (await endControlGroups(isMeant)) };
}

/** Returns the runs with processes of this worker, none of them young. */
async function heldRuns(): Promise<string[]> {
  const self = await ownerOfThisProcess();
  const marked = await findMeant({ isMeant: () => true });
  const isOurs = ({ mark: { owner } }: MarkedProcess): boolean =>
    owner?.pid === self.pid && owner.startTicks === self.startTicks && owner.pidNamespace === self.pidNamespace;
  const ages = new Map<string, number>();
  for (const found of marked)
    ages.set(found.mark.run, Math.min(ages.get(found.mark.run) ?? Number.POSITIVE_INFINITY, await ageSeconds(found)));
  const held = new Set(marked.filter(isOurs).map((found) => found.mark.run));
  return [...held].filter((run) => ages.get(run)! >= CLOSED_RUN_AGE_SECONDS_MIN);
}

/** Removes folders of dead commands. Returns the bytes that were freed. Folders of other users stay. */
async function removeOrphanFolders(scratchDirectory: string): Promise<number> {
  let bytes = 0;
  for (const folder of await orphanFolders(scratchDirectory))
    bytes += await removeScratch(folder, basename(folder)).catch(() => 0);
  return bytes;
}

/** Returns the bytes that were freed. */
async function removeScratch(scratch: string, run: string): Promise<number> {
  const bytes = await bytesUnder(scratch);
  await rm(scratch, { recursive: true, force: true, maxRetries: 3 }).catch((error: Error) => {
    throw new StpError('STP1601', `scratch folder ${scratch}: ${error.message}`, 'Remove that folder by hand.', {
      facts: { run, scratch },
      cause: error,
    });
  });
  return bytes;
}

/**
 * Returns `scratchDirectory/run`. Throws STP1002 unless the run is one plain part of a path, because its contents are
 * removed.
 */
function runScratchDirectory(scratchDirectory: string, run: string): string {
  if (RUN.test(run)) return join(scratchDirectory, run);
  throw new StpError(
    'STP1002',
    `run ${JSON.stringify(run)} cannot name a folder`,
    'Name runs with letters, digits, "-", "_" and "."; the first is a letter or digit.',
    { facts: { run } },
  );
}

/** Returns the memory that this process may use: a container's limit if there is one. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/**
 * Returns the bytes allocated on disk for a folder and its contents; links are counted, not followed. 0 if the folder
 * does not exist.
 */
async function bytesUnder(path: string): Promise<number> {
  const own: Stats | null = await lstat(path).catch(() => null);
  if (own === null) return 0;
  let bytes = own.blocks * BLOCK_BYTES;
  if (!own.isDirectory()) return bytes;
  for (const name of await readdir(path).catch(() => [] as string[])) bytes += await bytesUnder(join(path, name));
  return bytes;
}
