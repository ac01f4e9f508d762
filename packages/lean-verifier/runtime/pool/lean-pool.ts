/**
 * The `LeanPool` port: a fixed number of Lean processes, warm by header, shared by all users of Lean on this node:
 * checks, the step API, the HTTP service. A task has its session to itself while it runs.
 */
import type { LeanMessage } from '@stp/config/records';
import type { LeanDriver, LeanSession } from '../process/driver.ts';
import type { LeanExit } from '../process/spawn.ts';

export interface LeaseOptions {
  readonly signal?: AbortSignal | undefined;
  /** Longest wait for a session, ms; STP1206 afterwards. Without it as long as it takes. */
  readonly waitMsMax?: number | undefined;
  /** Take a process that has checked nothing yet and end it afterwards (certificates). */
  readonly fresh?: boolean;
}

export type Leased<T> =
  /** `queueMs`: until a session was free. `headerMs`: until its header was imported then, 0 where it was warm. */
  | { readonly kind: 'done'; readonly value: T; readonly queueMs: number; readonly headerMs: number }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export interface PoolStats {
  /** Leases that run at once, at most. */
  readonly processes: number;
  /** Leases that run now, those included whose header is being imported. */
  readonly busy: number;
  readonly waiting: number;
  /** Sessions that were opened, or tried to be. */
  readonly started: number;
  /** Sessions that were ended because they were worn: enough uses, or too much memory. */
  readonly recycled: number;
  /** Leases that found a session with their header imported. */
  readonly reused: number;
  /** Sums over all leases that ran, ms. */
  readonly queueMs: number;
  readonly headerMs: number;
  readonly runMs: number;
  /** Time leases were running their task (headers are not in it), over processes × time since the pool was opened. */
  readonly utilisation: number;
}

export interface LeanPool {
  readonly driver: Pick<LeanDriver, 'name' | 'candidatesPerRun' | 'writesObjects'>;
  /**
   * Runs `task` on a session with this header. The session goes back warm unless it has ended, is worn, or the task failed.
   * Rejects with the signal's reason, with what the task rejects with, with STP1206 after the longest wait, and with STP1203
   * once the pool is closed, also where the task has ended since: what it saw may be the end of its process.
   */
  lease<T>(header: string, task: (session: LeanSession) => Promise<T>, options?: LeaseOptions): Promise<Leased<T>>;
  stats(): PoolStats;
  /** Ends every process and resolves when they are gone. */
  close(): Promise<void>;
}
