/** One task in the pool: a run of some entries under given limits. */
import { StpError } from '@stp/base';
import type { LeanPool } from '../../runtime/pool/lean-pool.ts';
import type { LeanSession } from '../../runtime/process/driver.ts';
import { isKilledFromOutside } from '../../runtime/process/its-own-end.ts';
import type { LeanExit } from '../../runtime/process/spawn.ts';
import type { BatchEntry } from './batch-source.ts';
import type { Limits } from './limits.ts';
import { type BatchForm, type BatchOutcome, runBatch } from './run-batch.ts';

export interface FlightPlan {
  readonly header: string;
  readonly entries: readonly BatchEntry[];
  readonly limits: Limits;
  /** Requires a process that has checked nothing yet. */
  readonly fresh: boolean;
  readonly form: BatchForm;
}

/** `lost`: the process was killed from outside before it reached an entry, or had ended before the request. */
type Ended =
  | Exclude<BatchOutcome, { readonly kind: 'no_start' }>
  | { readonly kind: 'no_start'; readonly exit: LeanExit }
  | { readonly kind: 'lost' };

/** `elapsedMs`: time of the run, without the wait for a process. */
export type Landing = { readonly queueMs: number; readonly elapsedMs: number } & Ended;

export interface Flight {
  /**
   * Resolves with the result once nothing of the run remains in the pool. Rejects with the reason of `stop`, or with
   * the error that prevented the run.
   */
  readonly landed: Promise<Landing>;
  stop(reason: unknown): void;
}

export function launch(pool: LeanPool, plan: FlightPlan): Flight {
  const controller = new AbortController();
  return { landed: fly(pool, plan, controller.signal), stop: (reason) => controller.abort(reason) };
}

async function fly(
  pool: LeanPool,
  { header, entries, limits, fresh, form }: FlightPlan,
  signal: AbortSignal,
): Promise<Landing> {
  let beganAt = 0;
  const task = (session: LeanSession): Promise<Ended> => {
    beganAt = performance.now();
    return runBatch(session, entries, limits, signal, form).catch((error: unknown) => {
      // The process had died unnoticed. If the pool was closed, the caller gets that error elsewhere.
      if (!signal.aborted && error instanceof StpError && error.code === 'STP1203') return { kind: 'lost' };
      throw error;
    });
  };
  const leased = await pool.lease(header, task, { signal, fresh });
  const [ended, queueMs] = leased.kind === 'done' ? [leased.value, leased.queueMs] : [leased, 0];
  const times = { queueMs, elapsedMs: performance.now() - beganAt };
  if (ended.kind === 'no_start' && isKilledFromOutside(ended.exit)) return { kind: 'lost', ...times };
  return { ...ended, ...times };
}
