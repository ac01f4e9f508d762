/**
 * Virtual time: sleeping takes no real time, and events happen one by one in an order that the seed decides. Scopes are
 * cancelled like Temporal's: waiting calls in a scope fail at once, and shielded ones are not affected.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from '../../workflows/nodes/provisioning-steps.ts';
import type { FakeClock } from '../fakes/clock.ts';

export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** A scope that can be cancelled. */
class ScopeNode {
  readonly #children = new Set<ScopeNode>();
  readonly #heard = new Set<(reason: Error) => void>();
  isCancelled = false;

  constructor(parent: ScopeNode | null) {
    if (parent === null) return;
    parent.#children.add(this);
    if (parent.isCancelled) this.isCancelled = true;
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    for (const heard of [...this.#heard]) heard(new Cancelled('cancelled'));
    for (const child of this.#children) child.cancel();
  }

  /** Waits for the work. Rejects at once when the scope is cancelled; the work itself continues. */
  async wait<T>(work: Promise<T>): Promise<T> {
    if (this.isCancelled) {
      work.catch(() => undefined);
      throw new Cancelled('cancelled');
    }
    return new Promise<T>((resolve, reject) => {
      this.#heard.add(reject);
      work.then(resolve, reject).finally(() => this.#heard.delete(reject));
    });
  }
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly happen: () => void;
}

export class Scheduler {
  readonly clock: FakeClock;
  readonly #events: Event[] = [];
  readonly #current = new AsyncLocalStorage<ScopeNode>();
  #count = 0;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  /** Schedules an event after `ms` of virtual time. */
  after(ms: number, happen: () => void): void {
    this.#count += 1;
    const event = { atMs: this.clock.now() + ms, order: this.#count, happen };
    let low = 0;
    for (let high = this.#events.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle]!;
      if (other.atMs < event.atMs || (other.atMs === event.atMs && other.order < event.order)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Sleeps to the end, even if the scope is cancelled. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Waits in the present scope, so a cancellation rejects at once. */
  heard<T>(work: Promise<T>): Promise<T> {
    const scope = this.#current.getStore();
    return scope === undefined ? work : scope.wait(work);
  }

  sleep(ms: number): Promise<void> {
    return this.heard(this.pause(ms));
  }

  scope(): Scope {
    const node = new ScopeNode(this.#current.getStore() ?? null);
    return { run: (work) => this.#current.run(node, work), cancel: () => node.cancel() };
  }

  shielded<T>(work: () => Promise<T>): Promise<T> {
    return this.#current.run(new ScopeNode(null), work);
  }

  /** Runs events in order until `done` returns true or none is left. Calls `afterEach` after every event. */
  async run(done: () => boolean, afterEach: () => void): Promise<void> {
    for (;;) {
      // First runs all code that waits only for promises.
      await new Promise((resolve) => setImmediate(resolve));
      afterEach();
      if (done()) return;
      const event = this.#events.shift();
      if (event === undefined) return;
      this.clock.advance(Math.max(0, event.atMs - this.clock.now()));
      event.happen();
    }
  }
}
