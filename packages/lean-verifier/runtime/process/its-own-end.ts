/**
 * Runs work in a process, and repeats it if the process ended for a reason that says nothing about the work: it was
 * killed from outside (by an operator, or by the kernel for lack of memory), or it could not start.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { LeanMessage } from '@stp/config/records';
import { type LeanRun, type LeanRunExit, runLean } from './lean-process.ts';
import type { LeanExit } from './spawn.ts';

/**
 * How often in a row a process may be killed from outside during one piece of work, before Lean cannot be asked about
 * it.
 */
export const KILLS_MAX = 5;
/** Starts of a process for one piece of work, at most, if it ends before it begins that work. */
export const STARTS_MAX = 3;
const START_PAUSE_MS = 250;

const SIGNALS_FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);
/** Exit codes by which a shell or a sandbox passes those signals on: 128 plus the signal's number. */
const CODES_FROM_OUTSIDE: ReadonlySet<number> = new Set([137, 143, 130, 129]);

/**
 * Was the process killed from outside? A stack overflow or a failed assertion ends Lean with other signals, and a
 * process that we end ourselves has a reason of its own.
 */
export function isKilledFromOutside({ how, signal, code }: LeanExit): boolean {
  if (how !== 'crashed') return false;
  return (signal !== null && SIGNALS_FROM_OUTSIDE.has(signal)) || (code !== null && CODES_FROM_OUTSIDE.has(code));
}

/** Returns the pause after so many failed starts, ms: what a machine lacks for a moment may be back then. */
export function startPauseMs(starts: number): number {
  return START_PAUSE_MS * 4 ** (starts - 1);
}

/** `attempt` keeps nothing of the one before. Rejects as it does, or with the signal's reason. */
export async function untilItsOwnEnd<Exit extends LeanExit>(
  attempt: () => Promise<Exit>,
  signal?: AbortSignal,
): Promise<Exit> {
  let kills = 0;
  let starts = 0;
  for (;;) {
    const exit = await attempt();
    if (isKilledFromOutside(exit)) {
      kills += 1;
      if (kills > KILLS_MAX) return exit;
    } else if (exit.how === 'not-started') {
      starts += 1;
      if (starts === STARTS_MAX) return exit;
      await pause(startPauseMs(starts), undefined, { signal }).catch(() => signal?.throwIfAborted());
    } else return exit;
  }
}

/**
 * Reads one text until a Lean process ends by itself on it; returns how it ended, and all its messages. `prepare` runs
 * before every start, and may give a process that waits for the text.
 */
export function readLean(
  run: Omit<LeanRun, 'onMessage'>,
  prepare: () => Promise<Pick<LeanRun, 'process' | 'input'> | undefined> = async () => undefined,
): Promise<LeanRunExit & { readonly messages: readonly LeanMessage[] }> {
  return untilItsOwnEnd(async () => {
    const ready = await prepare();
    const messages: LeanMessage[] = [];
    const exit = await runLean({ ...run, ...ready, onMessage: (message) => messages.push(message) });
    return { ...exit, messages };
  }, run.signal);
}
