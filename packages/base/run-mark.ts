/**
 * The mark that every child process of a run carries in its environment, so that a clean-up finds the process even if
 * its parent is dead. It names the run on this machine, the purpose of the process, and the worker that owns it: a mark
 * with a dead owner is a leftover. Written `RUN@PID.START.NAMESPACE/PART`; everything after RUN may be missing.
 */

/** Environment variable with the mark. */
export const RUN_MARK = 'STP_RUN_MARK';

/** `lean`: checks, and compiling what is checked. `model`: sampling, training, embedding. */
export type RunPart = 'lean' | 'model';

/** Identifies a worker among all processes of the machine until the machine restarts. */
export interface RunOwner {
  readonly pid: number;
  /** Clock ticks from boot to its start: a later process with its pid has another. */
  readonly startTicks: number;
  /** Inode of its PID namespace: pids mean nothing outside it. */
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

/** Parses a mark; text of any other form gives a run name that no run has, without an owner. */
export function readRunMark(text: string): RunMark {
  const [, run = text, pid, startTicks, pidNamespace, part] = MARK.exec(text) ?? [];
  if (pid === undefined || startTicks === undefined || pidNamespace === undefined)
    return { run, owner: null, part: null };
  const owner = { pid: Number(pid), startTicks: Number(startTicks), pidNamespace };
  return { run, owner, part: part as RunPart };
}
