/**
 * Control groups of Lean processes (`packages/lean-verifier/runtime/process/cgroup.ts` makes them, and names them after the run's mark):
 * a process in one belongs to the run even if it has removed its mark. This file finds the groups where this machine
 * mounts the hierarchies `memory` and `pids` (version 1) or the unified one, ends their processes and removes them.
 */
import { readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunMark, RunPart } from '@stp/base/files';

/** Matches `stp-MARK-PID-NUMBER`; characters of the mark that a name cannot contain are `_`. */
const GROUP_NAME = /^stp-(.+)_(\d+)\.(\d+)\.(\d+)_(lean|model)-\d+-\d+$/;
/** Most folders that are searched: a machine with thousands of containers has some ten thousand. */
const FOLDERS_MAX = 50_000;
const EMPTYING_POLLS_MAX = 250;
const EMPTYING_POLL_MS = 20;

/** Ends and removes the groups of the selected marks. Returns the processes that were in them. */
export async function endControlGroups(isMeant: (mark: RunMark) => boolean | Promise<boolean>): Promise<number> {
  const folders: string[] = [];
  for (const { folder, mark } of await findGroups()) if (await isMeant(mark)) folders.push(folder);
  const ended = new Set<number>();
  for (let poll = 0; folders.length > 0 && poll < EMPTYING_POLLS_MAX; poll++) {
    if (poll > 0) await sleep(EMPTYING_POLL_MS);
    for (const folder of [...folders]) {
      for (const pid of await pidsIn(folder)) if (pid !== process.pid && kill(pid)) ended.add(pid);
      // The removal fails until the kernel has removed the last process.
      const isGone = await rmdir(folder).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== 'EBUSY',
      );
      if (isGone) folders.splice(folders.indexOf(folder), 1);
    }
  }
  return ended.size;
}

/** Finds every group whose name contains a mark of ours. */
async function findGroups(): Promise<{ folder: string; mark: RunMark }[]> {
  const found: { folder: string; mark: RunMark }[] = [];
  const waiting = await mounts();
  for (let seen = 0; waiting.length > 0 && seen < FOLDERS_MAX; seen++) {
    const folder = waiting.pop()!;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      const mark = markOf(entry.name);
      if (mark === null) waiting.push(path);
      else found.push({ folder: path, mark });
    }
  }
  return found;
}

function markOf(name: string): RunMark | null {
  const [, run, pid, startTicks, pidNamespace, part] = GROUP_NAME.exec(name) ?? [];
  if (run === undefined || pidNamespace === undefined) return null;
  const owner = { pid: Number(pid), startTicks: Number(startTicks), pidNamespace };
  return { run, owner, part: part as RunPart };
}

/** Returns where the hierarchies with our groups are mounted; none without /proc. */
async function mounts(): Promise<string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [before, after] = line.split(' - ');
    const [type, , options = ''] = after?.split(' ') ?? [];
    const folder = before?.split(' ')[4];
    const isOurs = type === 'cgroup2' || (type === 'cgroup' && /(?:^|,)(?:memory|pids)(?:,|$)/.test(options));
    return folder !== undefined && isOurs ? [folder] : [];
  });
}

async function pidsIn(folder: string): Promise<number[]> {
  // Version 2 kills all processes at once, including those being started; version 1 has no such file.
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  if (pids.length > 0) await writeFile(join(folder, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() => undefined);
  // A process of another PID namespace appears as 0, and a signal to 0 would end this process.
  return pids.map(Number).filter((pid) => pid > 0);
}

/** Returns whether the process existed. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
