/**
 * One piece of work in the pool: a run of a few entries under given limits and, if it takes long while processes are
 * idle, a second run of the same entries. The first run to report a result counts; the other is ended. The result is
 * reported once, and after the last run of a flight nothing of it remains in the pool.
 */
import { StpError } from '@stp/base';
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import type { LeanSession } from '../../runtime/process/driver.ts';
import { isKilledFromOutside } from '../../runtime/process/its-own-end.ts';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import type { BatchEntry } from './batch-source.ts';
import type { Limits } from './limits.ts';
import { type BatchForm, type BatchOutcome, runBatch } from './run-batch.ts';

/** Copies wait behind everything else. */
const COPY_PRIORITY = 1;

export interface FlightPlan {
  readonly header: string;
  readonly entries: readonly BatchEntry[];
  readonly limits: Limits;
  /** In a process that has checked nothing yet. */
  readonly fresh: boolean;
  readonly form: BatchForm;
}

/** `lost`: the process was killed from outside before it reached an entry, or had ended before the request. */
type Ended =
  | Exclude<BatchOutcome, { readonly kind: 'no_start' }>
  | { readonly kind: 'no_start'; readonly exit: LeanExit }
  | { readonly kind: 'lost' };

/** `elapsedMs`: of the run, without the wait for a process. */
export type Landing = { readonly queueMs: number; readonly elapsedMs: number } & Ended;

export interface Flight {
  /** When its first run began in a process; null while it waits for one. */
  readonly startedAt: number | null;
  /** One entry without a second run so far. */
  readonly mayBeCopied: boolean;
  /** A second run, behind everything that waits. */
  copy(): void;
  /** Ends the second run, where there is one and the first still runs. */
  dropCopy(): void;
  /** Ends all runs; `onEnd` learns only that they have ended. */
  stop(reason: unknown): void;
}

/**
 * `onLanding` is called at most once: with what was found, or with the error that no run of it could be made. `onEnd` is
 * called once, later, when no run is left.
 */
export function launch(
  pool: LeanPool,
  plan: FlightPlan,
  onLanding: (landing: Landing | { readonly error: unknown }) => void,
  onEnd: () => void,
): Flight {
  const runs: AbortController[] = [];
  let running = 0;
  let startedAt: number | null = null;
  let landed = false;
  let copied = false;

  async function run(priority: number): Promise<void> {
    const controller = new AbortController();
    runs.push(controller);
    running += 1;
    let landing: Landing | { readonly error: unknown };
    try {
      landing = await lease(controller.signal, priority);
    } catch (error) {
      landing = { error };
    }
    running -= 1;
    runs.splice(runs.indexOf(controller), 1);
    if (!landed && (tellsSomething(landing) || running === 0)) {
      landed = true;
      for (const other of runs) other.abort(new Error('another run of the same was first'));
      onLanding(landing);
    }
    if (running === 0) onEnd();
  }

  async function lease(signal: AbortSignal, priority: number): Promise<Landing> {
    const { header, entries, limits, fresh, form } = plan;
    let beganAt = 0;
    const task = (session: LeanSession): Promise<Ended> => {
      beganAt = performance.now();
      startedAt ??= beganAt;
      return runBatch(session, entries, limits, signal, form).catch((error: unknown) => {
        // The process had died unnoticed. Where the pool was closed, it says so itself.
        if (!signal.aborted && error instanceof StpError && error.code === 'STP1203') return { kind: 'lost' };
        throw error;
      });
    };
    const leased = await pool.lease(header, task, { signal, priority, fresh });
    const [ended, queueMs] = leased.kind === 'done' ? [leased.value, leased.queueMs] : [leased, 0];
    const times = { queueMs, elapsedMs: performance.now() - beganAt };
    if (ended.kind === 'no_start' && isKilledFromOutside(ended.exit)) return { kind: 'lost', ...times };
    return { ...ended, ...times };
  }

  void run(0);
  return {
    get startedAt() {
      return startedAt;
    },
    get mayBeCopied() {
      return plan.entries.length === 1 && !copied && !landed;
    },
    copy() {
      copied = true;
      void run(COPY_PRIORITY);
    },
    dropCopy() {
      if (runs.length > 1) runs.at(-1)!.abort(new Error('the process is needed for something else'));
    },
    stop(reason) {
      landed = true;
      for (const controller of runs) controller.abort(reason);
    },
  };
}

/** Not so where its process ended for reasons of its own: another run of the same may still tell. */
function tellsSomething(landing: Landing | { readonly error: unknown }): boolean {
  if ('error' in landing || landing.kind === 'lost' || landing.kind === 'no_start') return false;
  return landing.kind === 'header_error' || landing.done.length > 0 || !isKilledFromOutside(landing.exit);
}
