/**
 * Runs work in a process, and repeats it if the process failed for a reason unrelated to the work: the process was
 * killed from outside (by an operator, or by the kernel for lack of memory), or it could not start.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { LeanMessage } from '@stp/config/records';
import { type LeanRun, type LeanRunExit, runLean } from './lean-process.ts';
import type { LeanExit } from './spawn.ts';

/** How many times in a row a process may be killed from outside during one piece of work before the work fails. */
export const KILLS_MAX = 5;
/** Maximum number of starts for one piece of work if the process ends before the work begins. */
export const STARTS_MAX = 3;
const START_PAUSE_MS = 250;

const SIGNALS_FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']);
/** Exit codes with which a shell or a sandbox reports those signals: 128 plus the signal's number. */
const CODES_FROM_OUTSIDE: ReadonlySet<number> = new Set([137, 143, 130, 129]);

/**
 * Whether the process was killed from outside. Stack overflows and failed assertions end Lean with other signals, and a
 * process that we end ourselves reports another `how` or no signal.
 */
export function isKilledFromOutside({ how, signal, code }: LeanExit): boolean {
  if (how !== 'crashed') return false;
  return (signal !== null && SIGNALS_FROM_OUTSIDE.has(signal)) || (code !== null && CODES_FROM_OUTSIDE.has(code));
}

/** Returns the pause after this many failed starts, ms. A temporary shortage may be over by then. */
export function startPauseMs(starts: number): number {
  return START_PAUSE_MS * 4 ** (starts - 1);
}

/**
 * Repeats `attempt`, which must not depend on earlier attempts. Rejects with its error, or with the signal's reason.
 */
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
 * Has Lean read one text, repeating the run until the process ends by itself. Returns how it ended, and all messages.
 * `prepare` runs before every start, and may supply a process that is already waiting for the text.
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
