/**
 * Ends every process that carries a run's mark, whatever became of its parent. Only the mark counts: a process without
 * it is never ended, nor is this process or one it descends from. Straight to SIGKILL: what carries a mark keeps no
 * state of its own, and Lean in the middle of a proof does not look at gentler signals.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StpError } from '../../data/errors.ts';
import { isRunning, listProcesses, type ProcessStat, residentBytes, runMarkOf } from './processes.ts';

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

/** Ends them and waits until they are gone. STP1601 with their pids when some do not go. */
export async function endMarkedProcesses(run: string): Promise<EndedProcesses> {
  const total = { processes: 0, memoryBytes: 0, cpuSeconds: 0 };
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const marked = await findMarkedProcesses(run);
    if (marked.length === 0 && (round === 1 || (await noneAppears(run)))) return total;
    for (const found of marked) {
      total.processes += 1;
      total.memoryBytes += await residentBytes(found.pid);
      total.cpuSeconds += found.cpuSeconds;
    }
    await killAll(marked, run);
    const left = await waitUntilGone(marked, run);
    if (left.length > 0) throw notGone(run, left);
  }
  throw notGone(run, await findMarkedProcesses(run));
}

/** While a process changes into another program (execve) its environment cannot be read: a second look finds it. */
async function noneAppears(run: string): Promise<boolean> {
  await sleep(ENDING_POLL_MS);
  return (await findMarkedProcesses(run)).length === 0;
}

/** Living processes whose environment has exactly this run's mark, without this process and its ancestors. */
async function findMarkedProcesses(run: string): Promise<readonly ProcessStat[]> {
  const all = await listProcesses();
  const parents = new Map(all.map((found) => [found.pid, found.parentPid]));
  const spared = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && pid !== 0; pid = parents.get(pid))
    spared.add(pid);
  const marked: ProcessStat[] = [];
  for (const found of all) {
    if (!spared.has(found.pid) && (await runMarkOf(found.pid)) === run) marked.push(found);
  }
  return marked;
}

async function killAll(marked: readonly ProcessStat[], run: string): Promise<void> {
  const all = await listProcesses();
  const markedPids = new Set(marked.map((found) => found.pid));
  const killed = new Set<number>();
  for (const { groupId } of marked) {
    // A whole group at once leaves nobody time to start another, but only where every member carries the mark.
    const members = all.filter((found) => found.groupId === groupId);
    if (groupId <= 1 || members.length === 0 || killed.has(groupId)) continue;
    const ours = await Promise.all(
      members.map(async (found) => markedPids.has(found.pid) && (await isStill(found, run))),
    );
    if (!ours.every(Boolean)) continue;
    killed.add(groupId);
    signal(-groupId);
  }
  // Each by itself too: the group may hold others, or the process has left it since we looked.
  for (const found of marked) if (await isStill(found, run)) signal(found.pid);
}

/** The process that was found, not a later one that was given its pid. */
async function isStill(found: ProcessStat, run: string): Promise<boolean> {
  return (await isRunning(found)) && (await runMarkOf(found.pid)) === run;
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

async function waitUntilGone(marked: readonly ProcessStat[], run: string): Promise<readonly ProcessStat[]> {
  let left = marked;
  for (let poll = 0; poll < ENDING_POLLS_MAX; poll += 1) {
    const there = await Promise.all(left.map((found) => isStill(found, run)));
    left = left.filter((_, index) => there[index]);
    if (left.length === 0) break;
    await sleep(ENDING_POLL_MS);
  }
  return left;
}

function notGone(run: string, left: readonly ProcessStat[]): StpError {
  const pids = left.map((found) => found.pid);
  return new StpError(
    'STP1601',
    `processes of run ${run} do not end: ${pids.join(', ')}`,
    'They belong to another user or hang in the kernel (state D). End them as that user, or restart the machine.',
    { facts: { run, pids }, retryable: true },
  );
}
