/**
 * Ends processes by their run mark, even if their parents have died. Only the mark counts: a process without one is
 * never ended, nor is this process or one of its ancestors. It uses SIGKILL at once: a marked process keeps no state of
 * its own, and Lean in the middle of a proof ignores gentler signals.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '@stp/base';
import type { RunMark } from '@stp/base/files';
import { isRunning, listProcesses, type ProcessStat, residentBytes, runMarkOf } from '../processes.ts';

/** A process may start another between our look and its end; each round finds those. */
const ROUNDS_MAX = 20;
const ENDING_POLLS_MAX = 1500;
const ENDING_POLL_MS = 20;

export interface EndedProcesses {
  readonly processes: number;
  /** Resident bytes just before the end. */
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

export interface MarkedProcess extends ProcessStat {
  readonly mark: RunMark;
}

export interface Selection {
  /** Says what is ended, for the error where that fails. */
  readonly what: string;
  readonly isMeant: (found: MarkedProcess) => boolean | Promise<boolean>;
  /**
   * Called once what is there has been counted and before anything is ended: a part of this process that holds some of it
   * lets go, and starts no others in its place.
   */
  readonly release?: () => Promise<void>;
}

/** Ends the chosen processes and waits until they have ended. STP1601 with the pids of those that do not end. */
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

/** While a process changes into another program (execve) its environment cannot be read: a second look finds it. */
async function noneAppears(selection: Selection): Promise<boolean> {
  await sleep(ENDING_POLL_MS);
  return (await findMeant(selection)).length === 0;
}

/** Living processes with a mark that is meant, without this process and its ancestors. */
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
    // Ending a whole group at once leaves no member time to start another process; only if every member has the mark.
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
  // Each by itself too: the group may hold others, or the process has left it since we looked.
  for (const found of marked) if (await isStill(found, selection)) signal(found.pid);
}

/** The process that was found, not a later one that was given its pid. */
async function isStill(found: MarkedProcess, { isMeant }: Selection): Promise<boolean> {
  const mark = (await isRunning(found)) ? await runMarkOf(found.pid) : null;
  return mark !== null && (await isMeant({ ...found, mark }));
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone already; or another user's, which the wait afterwards reports.
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
