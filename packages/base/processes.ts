/**
 * Reads processes from Linux's /proc: identity (pid and start time), group, memory, CPU time, run mark. A process may
 * end between two reads, so readers return null instead of failing. This file ends no process.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { RUN_MARK, type RunMark, type RunOwner, readRunMark } from './run-mark.ts';

/** USER_HZ, the unit of times in /proc/PID/stat: 100 on every Linux architecture Node runs on (proc(5)). */
const CLOCK_TICKS_PER_SECOND = 100;

/** Identity of a process until the next reboot. A pid alone may be reused; pid and start time together are unique. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process. */
  readonly startTicks: number;
}

export interface ProcessStat extends ProcessIdentity {
  /** State letter; `Z` and `X` mean dead. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  /** User and system time of the process and its reaped children, seconds. */
  readonly cpuSeconds: number;
}

/** Returns facts about one process, or null if it does not exist or there is no /proc. */
export async function readProcess(pid: number): Promise<ProcessStat | null> {
  const text = await readOrNull(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The second field is the command in parentheses, which may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (numberInManual: number): number => Number(fields[numberInManual - 3]);
  const ticks = field(14) + field(15) + field(16) + field(17);
  return {
    pid,
    state: fields[0] ?? 'X',
    parentPid: field(4),
    groupId: field(5),
    startTicks: field(22),
    cpuSeconds: ticks / CLOCK_TICKS_PER_SECOND,
  };
}

/** Returns a process's identity. Without /proc the start time is 0 and only the pid identifies it. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startTicks: (await readProcess(pid))?.startTicks ?? 0 };
}

/** Is this process running, and not a later one with its pid? Zombies are not running. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.startTicks === 0) return answersSignal(identity.pid);
  const now = await readProcess(identity.pid);
  return now !== null && now.startTicks === identity.startTicks && now.state !== 'Z' && now.state !== 'X';
}

/** Returns the resident memory, bytes; 0 if the process is gone. */
export async function residentBytes(pid: number): Promise<number> {
  const kibibytes = (await readOrNull(`/proc/${pid}/status`))?.match(/^VmRSS:\s+(\d+) kB$/m)?.[1];
  return kibibytes === undefined ? 0 : Number(kibibytes) * 1024;
}

/** Returns the run mark from the process's initial environment; null without a mark or without permission to read. */
export async function runMarkOf(pid: number): Promise<RunMark | null> {
  const environment = await readOrNull(`/proc/${pid}/environ`);
  if (environment === null) return null;
  const entry = environment.split('\0').find((variable) => variable.startsWith(`${RUN_MARK}=`));
  return entry === undefined ? null : readRunMark(entry.slice(RUN_MARK.length + 1));
}

/** Returns this process as the owner of the processes that it starts. */
export async function ownerOfThisProcess(): Promise<RunOwner> {
  return { ...(await identify(process.pid)), pidNamespace: await pidNamespace() };
}

/** Is the owner certainly gone? False if its pid belongs to another namespace, which cannot be checked from here. */
export async function isOwnerGone(owner: RunOwner): Promise<boolean> {
  return owner.pidNamespace === (await pidNamespace()) && !(await isRunning(owner));
}

async function pidNamespace(): Promise<string> {
  const link = await readlink('/proc/self/ns/pid').catch(() => '');
  return /\d+/.exec(link)?.[0] ?? '0';
}

/** Returns the age of the process, seconds; 0 if unknown. */
export async function ageSeconds({ startTicks }: ProcessIdentity): Promise<number> {
  const uptimeSeconds = Number((await readOrNull('/proc/uptime'))?.split(' ')[0] ?? 0);
  return Math.max(0, uptimeSeconds - startTicks / CLOCK_TICKS_PER_SECOND);
}

/** Returns the command line with spaces between arguments, for people; null if the process is gone. */
export async function commandLineOf(pid: number): Promise<string | null> {
  const text = await readOrNull(`/proc/${pid}/cmdline`);
  return text === null || text === '' ? null : text.split('\0').join(' ').trim();
}

/** Lists all processes except zombies; empty without /proc. */
export async function listProcesses(): Promise<readonly ProcessStat[]> {
  const names = await readdir('/proc').catch(() => [] as string[]);
  const processes: ProcessStat[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const found = await readProcess(Number(name));
    if (found !== null && found.state !== 'Z' && found.state !== 'X') processes.push(found);
  }
  return processes;
}

/** Is there a process of this pid, also one of another user? */
export function answersSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}
