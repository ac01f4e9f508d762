/**
 * A control group for one process and all its children. The kernel limits their memory and their number, and ends them
 * together; a check of resident memory every tenth of a second may come too late. Version 1 is used if the hierarchies
 * `memory` and `pids` are writable, version 2 if our own group already delegates these controllers to its children (a
 * folder that a service manager delegates). Otherwise there is no control group, and only the periodic check limits
 * memory.
 *
 * A group is called `stp-RUN-OWNER-NUMBER` (the run's mark, the process id of its maker), so that a clean-up knows its
 * owner.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Processes and threads: Lean has some dozen threads and a few for each core; what forks without end stops here. */
const TASKS_MAX = 1_024;
/**
 * A group can be removed when the kernel has cleaned up its last process: after milliseconds, or seconds on an
 * overloaded machine. Pauses grow from one to this, four seconds in total.
 */
const REMOVE_PAUSE_MS_MAX = 2_048;
const GROUP_PREFIX = 'stp-';
const OWNER = /^stp-.*-(\d+)-\d+$/;

export interface ControlGroup {
  /** The command line that enters the group, then becomes `command`. */
  enter(command: readonly string[]): readonly string[];
  /** False where the kernel refuses: version 1 does for less than is in use. */
  setMemoryBytesMax(bytes: number): boolean;
  /** True where the kernel has ended a process of it for want of memory. */
  outOfMemory(): boolean;
  /** Ends what is in it. */
  kill(): void;
  /** Ends what is in it; resolves when it is empty and removed, or after four seconds in which it did not become so. */
  remove(): Promise<void>;
}

/** Where groups can be made, found once. `folders` holds the parents: one in version 2, memory and tasks in version 1. */
export interface GroupParents {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly tasks: string | null;
}

let parents: GroupParents | null | undefined;
let made = 0;

/** Null where this machine lets us make none. `name` stands in the group's name; characters that cannot are replaced. */
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
    return null; // Out of groups, or no longer ours: the look at resident memory has to do.
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
        // It has ended meanwhile.
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
      // The bound with swap may not be below the one without, so it goes first upwards and last downwards.
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

/** A shell enters by itself before it becomes the command, so nothing runs outside. What cannot be entered is passed by. */
function enterScript(count: number): string {
  const enter = Array.from({ length: count }, (_, index) => `echo 0 2>/dev/null >"$${index + 1}/cgroup.procs"`);
  return `{ ${enter.join('; ')}; } 2>/dev/null; shift ${count}; exec "$@"`;
}

/** `kill` comes before every look: what starts others may have started one after it was told to end. */
async function removeAll(folders: readonly string[], kill: () => void): Promise<void> {
  let left = folders.filter(isInUse);
  for (let pauseMs = 1; left.length > 0 && pauseMs <= REMOVE_PAUSE_MS_MAX; pauseMs *= 2) {
    kill();
    await pause(pauseMs);
    left = left.filter(isInUse);
  }
}

/** Removes it where it is not. */
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

/** Empty groups of processes that were ended before they could remove them. */
export function removeLeftOver(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = OWNER.exec(name)?.[1];
    if (owner === undefined || Number(owner) === process.pid) continue;
    try {
      process.kill(Number(owner), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') isInUse(join(parent, name));
    }
  }
}

/** `/proc/self/cgroup` names our own groups, `/proc/self/mountinfo` where each hierarchy is mounted. */
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
    // In a container the path may be one of the machine's, which is not there.
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
