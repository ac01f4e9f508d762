/**
 * A fixed number of Lean processes, warm by header, shared by everything on this node that asks Lean: checks, the step API,
 * the HTTP service. Whoever runs something holds one session alone while it runs.
 */
import type { LeanMessage } from '../../data/schemas/records.ts';
import type { LeanSession } from '../process/driver.ts';
import type { LeanExit } from '../process/lean-process.ts';

export interface LeaseOptions {
  readonly signal?: AbortSignal;
  /** Lower goes first; default 0. Speculative copies use a higher one. */
  readonly priority?: number;
  /** Longest wait for a session, ms; STP1206 afterwards. Without it as long as it takes. */
  readonly waitMsMax?: number;
  /** Take a process that has checked nothing yet and end it afterwards (certificates). */
  readonly fresh?: boolean;
}

export type Leased<T> =
  | { readonly kind: 'done'; readonly value: T; readonly queueMs: number; readonly headerMs: number }
  | { readonly kind: 'header_error'; readonly messages: readonly LeanMessage[] }
  | { readonly kind: 'no_start'; readonly exit: LeanExit };

export interface PoolStats {
  readonly processes: number;
  readonly busy: number;
  readonly waiting: number;
  readonly started: number;
  readonly recycled: number;
  readonly reused: number;
  /** Time processes were running something, over processes × time since the pool was opened. */
  readonly utilisation: number;
}

export interface LeanPool {
  /** Runs `task` on a session with this header. The session goes back warm unless it has ended. */
  lease<T>(header: string, task: (session: LeanSession) => Promise<T>, options?: LeaseOptions): Promise<Leased<T>>;
  stats(): PoolStats;
  /** Ends every process. */
  close(): Promise<void>;
}
