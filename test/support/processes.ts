/** Finds the child processes of a test by the mark in their environment. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { RUN_MARK } from '@stp/base/files';
import { readResources } from '@stp/lean-verifier/testing';

/** Process ids whose environment holds this mark. */
export const markedProcesses = (mark: string): number[] => processesWhere((own) => own === mark);

/** Process ids whose environment holds a mark that `isWanted` accepts. */
export function processesWhere(isWanted: (mark: string) => boolean): number[] {
  const isMarked = (variable: string): boolean =>
    variable.startsWith(`${RUN_MARK}=`) && isWanted(variable.slice(RUN_MARK.length + 1));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').some(isMarked);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Kills every process with this mark; those that are gone meanwhile are none. */
export function killMarked(mark: string): void {
  for (const pid of markedProcesses(mark)) kill(pid);
}

/** Ends a process, or with a negative number its group, that may have ended since it was looked for. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves with the processes of at least this resident memory once there are any. The test's own limit bounds it. */
export async function untilMarked(mark: string, residentBytesMin = 0): Promise<number[]> {
  for (;;) {
    const found: number[] = [];
    for (const pid of markedProcesses(mark))
      if ((readResources(pid)?.residentBytes ?? -1) >= residentBytesMin) found.push(pid);
    if (found.length > 0) return found;
    await pause(20);
  }
}
