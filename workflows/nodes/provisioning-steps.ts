/** What the logic of machines needs from outside: steps that may fail, a clock, and limits. */
import type { NodeHost, NodesState, Released, RequestResult } from '../../infra/nodes/provider.ts';

/** Work that can be cancelled separately. */
export interface Scope {
  run<T>(work: () => Promise<T>): Promise<T>;
  cancel(): void;
}

export type WatchEnd = { readonly kind: 'lost'; readonly reason: string } | { readonly kind: 'over' };

/** The steps that the logic uses. A step throws only after it was retried as often as is useful. */
export interface ProvisioningSteps {
  /**
   * Requests until the cloud accepts, or until `untilMs`. A cancellation waits for the current call, because the
   * resources that it made must be known when everything is given back.
   */
  request(generation: number, attempt: number, untilMs: number): Promise<RequestResult>;
  /**
   * Polls until the machines are ready, or will not come up by themselves, or until `untilMs`. At `untilMs` the result
   * may still be `waiting`.
   */
  state(generation: number, untilMs: number): Promise<NodesState>;
  /** Polls the machines; returns when they are lost, or `over` at `untilMs`. */
  watch(generation: number, untilMs: number): Promise<WatchEnd>;
  /**
   * Releases all sets, until nothing is left or until `untilMs`; null: without a limit. Also looks for set number
   * `last`, the last one requested, by its name, since a list may not show it yet; 0: none was requested.
   */
  release(last: number, untilMs: number | null): Promise<Released>;
  /** Waits until the machine's worker runs, and ends leftover processes. It is the first work on a machine. */
  begin(hostQueue: string): Promise<void>;
  /** Cleans a machine that may be gone. It is the last work on a machine. Never throws. */
  end(hostQueue: string): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** ms since 1970 */
  now(): number;
  scope(): Scope;
  /** Runs to its end, also if the surrounding scope is cancelled. */
  shielded<T>(work: () => Promise<T>): Promise<T>;
  isCancellation(error: unknown): boolean;
  /** Could the failure mean that a machine's worker is lost? Lost workers of other queues look the same. */
  isDeadHost(error: unknown): boolean;
  /** Does the machine's worker answer now? Throws only for a cancellation. */
  answers(hostQueue: string): Promise<boolean>;
  failure(code: 'STP1602' | 'STP1604' | 'STP1606', message: string): Error;
  /** Reports one line about the machines' state. */
  say(line: string): void;
}

export interface ProvisioningLimits {
  /** Time limit for waiting for capacity, ms. */
  readonly validUntilMs: number;
  /** Time limit for holding machines, from the first time that they are ready, ms. */
  readonly heldMsMax: number;
}

/** State carried over a continue-as-new. */
export interface HeldNodes {
  readonly generation: number;
  readonly hosts: readonly NodeHost[];
  /** Time when machines were first ready, ms since 1970; the cost guard counts from it. */
  readonly sinceMs: number;
}
