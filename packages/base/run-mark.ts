/**
 * The mark in the environment of every child process of a run, by which a clean-up finds the process even if its parent
 * is dead. It contains the run's name on this machine, the purpose of the process, and the worker that owns it: a
 * process with a dead owner is a leftover. Format: `RUN@PID.START.NAMESPACE/PART`; everything after RUN may be missing.
 */

/** Name of the environment variable with the mark. */
export const RUN_MARK = 'STP_RUN_MARK';

/** `lean`: checks, and compilations for checks. `model`: sampling, training, embedding. */
export type RunPart = 'lean' | 'model';

/** Identifies a worker among all processes of the machine until the machine restarts. */
export interface RunOwner {
  readonly pid: number;
  /** Start time in clock ticks since boot, which distinguishes a later process with the same id. */
  readonly startTicks: number;
  /** Inode of its PID namespace, outside which process ids have no meaning. */
  readonly pidNamespace: string;
}

export interface RunMark {
  readonly run: string;
  readonly owner: RunOwner | null;
  readonly part: RunPart | null;
}

const MARK = /^([^@]+)(?:@(\d+)\.(\d+)\.(\d+)\/(lean|model))?$/;

export function writeRunMark(run: string, owner: RunOwner, part: RunPart): string {
  return `${run}@${owner.pid}.${owner.startTicks}.${owner.pidNamespace}/${part}`;
}

/** Parses a mark. Text with another format gives a run name that no run has, without an owner. */
export function readRunMark(text: string): RunMark {
  const [, run = text, pid, startTicks, pidNamespace, part] = MARK.exec(text) ?? [];
  if (pid === undefined || startTicks === undefined || pidNamespace === undefined)
    return { run, owner: null, part: null };
  const owner = { pid: Number(pid), startTicks: Number(startTicks), pidNamespace };
  return { run, owner, part: part as RunPart };
}
