/**
 * The `LeanPool` port: a fixed number of Lean processes with imported headers, shared by all users of Lean on this
 * host: checks, the step API, the HTTP service. A task has exclusive use of its session.
 */
import type { LeanMessage } from '@stp/config/records';
import type { LeanDriver, LeanSession } from '../process/driver.ts';
import type { LeanExit } from '../process/spawn.ts';

export interface LeaseOptions {
  readonly signal?: AbortSignal | undefined;
  /** Maximum wait for a session, ms; then the lease rejects with STP1206. Missing: no limit. */
  readonly waitMsMax?: number | undefined;
  /** Requests a process that has checked nothing yet, and ends it after the task (for certificates). */
  readonly fresh?: boolean;
}

export type Leased<T> =
  /**
   * `queueMs`: time until a session was free. `headerMs`: time from then until its header was imported, 0 if it was
   * warm.
   */
  | { readonly kind: 'done'; readonly value: T; readonly queueMs: number; readonly headerMs: number }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export interface PoolStats {
  /** Maximum number of concurrent leases. */
  readonly processes: number;
  /** Number of running leases, including those whose header is being imported. */
  readonly busy: number;
  readonly waiting: number;
  /** Number of sessions that were opened, including failed attempts. */
  readonly started: number;
  /** Number of sessions that were ended because they had too many uses or too much memory. */
  readonly recycled: number;
  /** Number of leases that found a session with their header imported. */
  readonly reused: number;
  /** Sums over all leases that ran, ms. */
  readonly queueMs: number;
  readonly headerMs: number;
  readonly runMs: number;
  /** Time that tasks were running, without header imports, divided by processes × time since the pool was opened. */
  readonly utilisation: number;
}

export interface LeanPool {
  readonly driver: Pick<LeanDriver, 'name' | 'candidatesPerRun' | 'writesObjects'>;
  /**
   * Runs `task` on a session with this header. Afterwards the session becomes available again with its header imported,
   * unless it has ended, is worn, or the task failed. Rejects with the signal's reason, with the task's error, with
   * STP1206 after `waitMsMax`, and with STP1203 once the pool is closed, even if the task has ended meanwhile: the task
   * may have seen its process being killed.
   */
  lease<T>(header: string, task: (session: LeanSession) => Promise<T>, options?: LeaseOptions): Promise<Leased<T>>;
  stats(): PoolStats;
  /** Ends every process and resolves when they are gone. */
  close(): Promise<void>;
}
