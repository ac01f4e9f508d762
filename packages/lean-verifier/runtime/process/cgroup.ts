/**
 * A control group for one process and its descendants. The kernel limits their memory and their number, and kills them
 * together. The watch of resident memory, which samples ten times a second, can be too late. Version 1 is used if the
 * hierarchies `memory` and `pids` are writable, version 2 if our own group already delegates these controllers to its
 * children (a folder that a service manager delegates). Otherwise there is no control group, and only the watch limits
 * memory.
 *
 * A group is called `stp-RUN-OWNER-NUMBER` (run mark, process id of the creator), so that a clean-up knows its owner.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answersSignal } from '@stp/base/files';

/**
 * Maximum number of processes and threads. Lean has about a dozen threads and a few for each core; the limit stops a
 * fork bomb.
 */
const TASKS_MAX = 1_024;
/**
 * Longest pause between attempts to remove a group. A group can be removed once the kernel has cleaned up its last
 * process, which takes milliseconds, or seconds on an overloaded machine. Pauses double from 1 ms up to this; they add
 * up to four seconds.
 */
const REMOVE_PAUSE_MS_MAX = 2_048;
const GROUP_PREFIX = 'stp-';
const OWNER = /^stp-.*-(\d+)-\d+$/;

export interface ControlGroup {
  /** Returns a command line that enters the group and then becomes `command`. */
  enter(command: readonly string[]): readonly string[];
  /** Returns false if the kernel refuses: version 1 refuses a limit below the present use. */
  setMemoryBytesMax(bytes: number): boolean;
  /** Whether the kernel has killed a process of the group for lack of memory. */
  outOfMemory(): boolean;
  kill(): void;
  /**
   * Kills all processes of the group. Resolves when the group is removed, or after four seconds if it cannot be
   * removed.
   */
  remove(): Promise<void>;
}

/**
 * Folders in which groups can be created: the same folder for both in version 2, one for memory and one for tasks in
 * version 1.
 */
export interface GroupParents {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly tasks: string | null;
}

let parents: GroupParents | null | undefined;
let made = 0;

/**
 * Returns null if this machine allows no control group. `name` becomes part of the group's name; unsuitable characters
 * are replaced.
 */
export function openControlGroup(name: string, memoryBytesMax: number, within = ownParents()): ControlGroup | null {
  if (within === null) return null;
  made += 1;
  const folder = `${GROUP_PREFIX}${name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 120)}-${process.pid}-${made}`;
  const memory = join(within.memory, folder);
  const tasks = within.tasks === null ? null : join(within.tasks, folder);
  const folders = tasks === null ? [memory] : [memory, tasks];
  const group = groupAt(within.version, memory, folders);
  try {
    for (const one of folders) mkdirSync(one);
  } catch {
    void group.remove();
    return null; // There are no more groups, or the folder is no longer ours. The watch of resident memory remains.
  }
  if (write(join(tasks ?? memory, 'pids.max'), TASKS_MAX) && group.setMemoryBytesMax(memoryBytesMax)) return group;
  void group.remove();
  return null;
}

function groupAt(version: 1 | 2, memory: string, folders: readonly string[]): ControlGroup {
  const kill = (): void => {
    if (version === 2 && write(join(memory, 'cgroup.kill'), 1)) return;
    for (const pid of read(join(memory, 'cgroup.procs')).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
  };
  return {
    enter: (command) => ['/bin/sh', '-c', enterScript(folders.length), 'sh', ...folders, ...command],
    setMemoryBytesMax(bytes) {
      if (version === 2) {
        write(join(memory, 'memory.swap.max'), 0);
        return write(join(memory, 'memory.max'), bytes);
      }
      // The limit with swap must never be below the limit without: raise it first, lower it last.
      const withSwap = join(memory, 'memory.memsw.limit_in_bytes');
      write(withSwap, bytes);
      const done = write(join(memory, 'memory.limit_in_bytes'), bytes);
      write(withSwap, bytes);
      return done;
    },
    outOfMemory() {
      const file = version === 2 ? 'memory.events' : 'memory.oom_control';
      return Number(/^oom_kill (\d+)$/m.exec(read(join(memory, file)))?.[1] ?? 0) > 0;
    },
    kill,
    remove: () => removeAll(folders, kill),
  };
}

/**
 * A shell enters the group and then becomes the command, so nothing runs outside. It skips folders that it cannot
 * enter.
 */
function enterScript(count: number): string {
  const enter = Array.from({ length: count }, (_, index) => `echo 0 2>/dev/null >"$${index + 1}/cgroup.procs"`);
  return `{ ${enter.join('; ')}; } 2>/dev/null; shift ${count}; exec "$@"`;
}

/** Kills before every attempt, because a process that was already told to end may have started another. */
async function removeAll(folders: readonly string[], kill: () => void): Promise<void> {
  let left = folders.filter(isInUse);
  for (let pauseMs = 1; left.length > 0 && pauseMs <= REMOVE_PAUSE_MS_MAX; pauseMs *= 2) {
    kill();
    await pause(pauseMs);
    left = left.filter(isInUse);
  }
}

/** Removes the folder if it is not in use; otherwise returns true. */
function isInUse(folder: string): boolean {
  try {
    rmdirSync(folder);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EBUSY';
  }
}

function ownParents(): GroupParents | null {
  if (parents === undefined) {
    parents = findParents();
    for (const folder of [parents?.memory, parents?.tasks]) if (folder) removeLeftOver(folder);
  }
  return parents;
}

/** Removes empty groups whose owners were killed before they could remove them. */
export function removeLeftOver(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = OWNER.exec(name)?.[1];
    if (owner === undefined || Number(owner) === process.pid) continue;
    if (!answersSignal(Number(owner))) isInUse(join(parent, name));
  }
}

/** Finds our own groups in `/proc/self/cgroup` and the mount points of the hierarchies in `/proc/self/mountinfo`. */
function findParents(): GroupParents | null {
  const own = new Map<string, string>();
  for (const line of read('/proc/self/cgroup').split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const controller of controllers?.split(',') ?? []) own.set(controller, path!);
  }
  const mounts = read('/proc/self/mountinfo').split('\n').flatMap(readMount);
  const second = mounts.find(({ type }) => type === 'cgroup2');
  if (second !== undefined && own.has('')) {
    const folder = join(second.folder, own.get('')!);
    const handedDown = read(join(folder, 'cgroup.subtree_control')).split(/\s+/);
    if (handedDown.includes('memory') && handedDown.includes('pids') && canMake(folder)) {
      return { version: 2, memory: folder, tasks: null };
    }
  }
  const [memory, tasks] = ['memory', 'pids'].map((controller) => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    if (mount === undefined) return null;
    // In a container the path may be the host's, and then it does not exist here.
    return [join(mount.folder, own.get(controller) ?? ''), mount.folder].find(canMake) ?? null;
  });
  return memory == null || tasks == null ? null : { version: 1, memory, tasks };
}

function readMount(line: string): { folder: string; type: string; options: readonly string[] }[] {
  const [before, after] = line.split(' - ');
  const [type, , options] = after?.split(' ') ?? [];
  const folder = before?.split(' ')[4];
  if (folder === undefined || type === undefined || !type.startsWith('cgroup')) return [];
  return [{ folder, type, options: options?.split(',') ?? [] }];
}

function canMake(folder: string): boolean {
  const probe = join(folder, `${GROUP_PREFIX}probe-${process.pid}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function write(path: string, value: number): boolean {
  try {
    writeFileSync(path, String(value));
    return true;
  } catch {
    return false;
  }
}
