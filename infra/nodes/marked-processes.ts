/**
 * Ends processes by their run mark, even if their parents are dead. Only the mark counts: a process without one is
 * never ended, nor is this process or an ancestor. It uses SIGKILL at once: a marked process has no state to save, and
 * Lean ignores gentler signals during a proof.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import type { RunMark } from '@stp/base/files';
import { isRunning, listProcesses, type ProcessStat, residentBytes, runMarkOf } from '@stp/base/files';

/** Most rounds. A process may start another before it is ended; the next round finds that one. */
const ROUNDS_MAX = 20;
const ENDING_POLLS_MAX = 1500;
const ENDING_POLL_MS = 20;

export interface EndedProcesses {
  readonly processes: number;
  /** Resident bytes just before its end. */
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

export interface MarkedProcess extends ProcessStat {
  readonly mark: RunMark;
}

export interface Selection {
  /** Describes the processes, for the error message. */
  readonly what: string;
  readonly isMeant: (found: MarkedProcess) => boolean | Promise<boolean>;
  /**
   * Called after the processes are counted and before any is ended: parts of this process release theirs and start no
   * others.
   */
  readonly release?: () => Promise<void>;
}

/**
 * Ends the selected processes and waits until they have ended. Throws STP1601 with the pids of those that do not end.
 */
export async function endMarkedProcesses(selection: Selection): Promise<EndedProcesses> {
  const total = { processes: 0, memoryBytes: 0, cpuSeconds: 0 };
  const counted = new Set<string>();
  const count = async (found: readonly MarkedProcess[]): Promise<void> => {
    for (const { pid, startTicks, cpuSeconds } of found) {
      if (counted.has(`${pid} ${startTicks}`)) continue;
      counted.add(`${pid} ${startTicks}`);
      total.processes += 1;
      total.memoryBytes += await residentBytes(pid);
      total.cpuSeconds += cpuSeconds;
    }
  };
  if (selection.release !== undefined) {
    await count(await findMeant(selection));
    await selection.release();
  }
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const found = await findMeant(selection);
    if (found.length === 0 && (round === 1 || (await noneAppears(selection)))) return total;
    await count(found);
    await killAll(found, selection);
    const left = await waitUntilGone(found, selection);
    if (left.length > 0) throw notGone(selection, left);
  }
  throw notGone(selection, await findMeant(selection));
}

/** The environment of a process cannot be read during execve, so a second search finds such a process. */
async function noneAppears(selection: Selection): Promise<boolean> {
  await sleep(ENDING_POLL_MS);
  return (await findMeant(selection)).length === 0;
}

/** Returns the living processes with a selected mark, without this process and its ancestors. */
export async function findMeant({ isMeant }: Pick<Selection, 'isMeant'>): Promise<readonly MarkedProcess[]> {
  const all = await listProcesses();
  const parents = new Map(all.map((found) => [found.pid, found.parentPid]));
  const spared = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && pid !== 0; pid = parents.get(pid))
    spared.add(pid);
  const meant: MarkedProcess[] = [];
  for (const found of all) {
    const mark = spared.has(found.pid) ? null : await runMarkOf(found.pid);
    if (mark !== null && (await isMeant({ ...found, mark }))) meant.push({ ...found, mark });
  }
  return meant;
}

async function killAll(marked: readonly MarkedProcess[], selection: Selection): Promise<void> {
  const all = await listProcesses();
  const markedByPid = new Map(marked.map((found) => [found.pid, found]));
  const killed = new Set<number>();
  for (const { groupId } of marked) {
    // Ending a whole group at once leaves no member time to start another process. This is done only if every member
    // has the mark.
    const members = all.filter((found) => found.groupId === groupId);
    if (groupId <= 1 || members.length === 0 || killed.has(groupId)) continue;
    const ours = await Promise.all(
      members.map(async ({ pid }) => {
        const found = markedByPid.get(pid);
        return found !== undefined && (await isStill(found, selection));
      }),
    );
    if (!ours.every(Boolean)) continue;
    killed.add(groupId);
    signal(-groupId);
  }
  // Ends each process separately too, because the group may have other members or the process may have left it.
  for (const found of marked) if (await isStill(found, selection)) signal(found.pid);
}

/** Is it still the process that was found, and not a later one with the same pid? */
async function isStill(found: MarkedProcess, { isMeant }: Selection): Promise<boolean> {
  const mark = (await isRunning(found)) ? await runMarkOf(found.pid) : null;
  return mark !== null && (await isMeant({ ...found, mark }));
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process is gone, or belongs to another user, which the later wait reports.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

async function waitUntilGone(
  marked: readonly MarkedProcess[],
  selection: Selection,
): Promise<readonly MarkedProcess[]> {
  let left = marked;
  for (let poll = 0; poll < ENDING_POLLS_MAX; poll += 1) {
    const there = await Promise.all(left.map((found) => isStill(found, selection)));
    left = left.filter((_, index) => there[index]);
    if (left.length === 0) break;
    await sleep(ENDING_POLL_MS);
  }
  return left;
}

function notGone({ what }: Selection, left: readonly MarkedProcess[]): StpError {
  const pids = left.map((found) => found.pid);
  return new StpError(
    'STP1601',
    `${what} do not end: ${pids.join(', ')}`,
    'They belong to another user or hang in the kernel (state D). End them as that user, or restart the machine.',
    { facts: { pids }, retryable: true },
  );
}
