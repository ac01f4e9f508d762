/**
 * The pool. A lease waits for a permit of the host, takes a process with its header imported or has one opened, and
 * returns it afterwards. A worn process is ended, and a new one opens when it is needed. If spares are allowed, they
 * open in advance while the host has a free permit. Waiting, importing and checking are timed separately.
 */
import { StpError } from '@stp/base';
import type { LeanDriver, LeanSession } from '../process/driver.ts';
import { type LeanHost, openLeanHost } from './lean-host.ts';
import type { LeanPool, Leased, LeaseOptions, PoolStats } from './lean-pool.ts';
import { openHeaderDemand, openUsage } from './usage.ts';
import { openWaitingList } from './waiting-list.ts';
import { type PoolProcess, WarmProcesses } from './warm-processes.ts';

/**
 * A language server keeps elaborated text for a while. After this many bodies a new process costs little in comparison.
 */
const USES_MAX = 1_000;

export interface PoolOptions {
  readonly driver: LeanDriver;
  /** Maximum number of concurrent leases, counted together with those of other pools on the host. */
  readonly processes: number;
  /** Shared with the other pools of this host. Missing: the pool is the host's only one. */
  readonly host?: LeanHost | undefined;
  /** Resident memory that a process may ever have, bytes. The driver enforces it where it can. */
  readonly memoryBytesMax: number;
  /** A process is ended after this many runs. */
  readonly usesMax?: number;
  /**
   * A process that holds more bytes than this after a run is ended, because its memory would count against the next
   * lease. Default: no limit.
   */
  readonly residentBytesMax?: number;
  /**
   * Number of unused processes beyond `processes` that may be opened in advance, with the busiest header, while the
   * host has capacity. Default: 0.
   */
  readonly spares?: number;
}

interface Grant {
  readonly process: PoolProcess;
  readonly isWarm: boolean;
}

/** Starts no process yet. Throws STP1002 if `processes` is below 1. */
export function openPool(options: PoolOptions): LeanPool {
  const { processes } = options;
  if (!Number.isInteger(processes) || processes < 1)
    throw new StpError(
      'STP1002',
      `Lean needs at least one process, not ${processes}`,
      'Give a whole number from 1 (`verification.processes`).',
    );
  return new ProcessPool(options);
}

class ProcessPool implements LeanPool {
  readonly driver: LeanDriver;
  readonly #processes: number;
  readonly #spares: number;
  readonly #usesMax: number;
  readonly #residentBytesMax: number;
  readonly #host: LeanHost;
  readonly #warm: WarmProcesses;
  readonly #waiting = openWaitingList<Grant>();
  readonly #usage = openUsage();
  readonly #demand = openHeaderDemand();
  /** Requested permits that have not been granted; `leave` withdraws the request. */
  readonly #asked = new Set<{ leave: () => void }>();
  readonly #leases = new Set<Promise<unknown>>();
  #busy = 0;
  #recycled = 0;
  #closed: StpError | null = null;

  constructor(options: PoolOptions) {
    const { driver, processes, memoryBytesMax, usesMax = USES_MAX, residentBytesMax = Infinity, spares = 0 } = options;
    this.driver = driver;
    this.#processes = processes;
    this.#spares = spares;
    this.#usesMax = usesMax;
    this.#residentBytesMax = residentBytesMax;
    this.#host = options.host ?? openLeanHost();
    this.#warm = new WarmProcesses({
      driver,
      memoryBytesMax,
      sessionsMax: processes + spares,
      host: this.#host.processes,
      onGone: () => this.#dispatch(),
      onWarmed: (header, opened) => {
        if (!opened) this.#demand.forget(header);
        this.#dispatch();
      },
    });
  }

  async lease<T>(
    header: string,
    task: (session: LeanSession) => Promise<T>,
    options: LeaseOptions = {},
  ): Promise<Leased<T>> {
    options.signal?.throwIfAborted();
    if (this.#closed !== null) throw this.#closed;
    const running = this.#run(header, task, options);
    this.#leases.add(running);
    try {
      return await running;
    } finally {
      this.#leases.delete(running);
    }
  }

  stats(): PoolStats {
    const { queueMs, headerMs, runMs, reused } = this.#usage.totals();
    return {
      processes: this.#processes,
      busy: this.#busy,
      waiting: this.#waiting.size,
      started: this.#warm.started,
      recycled: this.#recycled,
      reused,
      queueMs,
      headerMs,
      runMs,
      utilisation: runMs / Math.max(1, this.#processes * this.#usage.ageMs()),
    };
  }

  async close(): Promise<void> {
    this.#closed ??= new StpError('STP1203', 'the pool of Lean processes was closed', 'Open a new one.');
    this.#waiting.failAll(this.#closed);
    for (const { leave } of this.#asked) leave();
    this.#asked.clear();
    await this.#warm.endAll();
    await Promise.allSettled(this.#leases);
  }

  /** Requests permits for waiting leases, and opens spare processes where the host has capacity. */
  #dispatch(): void {
    if (this.#closed !== null) return;
    this.#warm.sweep();
    while (this.#busy + this.#asked.size < this.#processes && this.#asked.size < this.#waiting.size) this.#ask();
    const busiest = this.#demand.busiest();
    const hasCapacity = this.#busy < this.#processes;
    if (hasCapacity && busiest !== null && this.#warm.spares(busiest) < this.#spares) this.#warm.warm(busiest);
  }

  /**
   * Requests a permit. A granted permit serves the next lease in line, which need not be the one for which it was
   * requested.
   */
  #ask(): void {
    const ticket = { leave: () => {} };
    this.#asked.add(ticket);
    const { permits } = this.#host;
    ticket.leave = permits.take(this.#processes, () => {
      this.#asked.delete(ticket);
      const next = this.#closed === null ? this.#waiting.take((request) => this.#warm.price(request)) : null;
      if (next === null) return permits.give();
      this.#busy += 1;
      next.give(this.#warm.take(next));
    });
  }

  async #run<T>(header: string, task: (session: LeanSession) => Promise<T>, lease: LeaseOptions): Promise<Leased<T>> {
    const askedAt = performance.now();
    const { fresh = false, signal } = lease;
    const waited = this.#waiting.wait({ header, fresh }, lease);
    this.#dispatch();
    const { process, isWarm } = await waited;
    const queueMs = performance.now() - askedAt;
    let keep = false;
    try {
      const opened = await openingOf(process, signal);
      if (opened.kind !== 'open') return opened;
      const headerMs = isWarm ? 0 : performance.now() - askedAt - queueMs;
      this.#demand.asked(header);
      this.#usage.count({ queueMs, headerMs, isWarm });
      const end = this.#usage.begin();
      const value = await task(opened.session).finally(end);
      if (this.#closed !== null) throw this.#closed;
      keep = !fresh && opened.session.isAlive && !(await this.#isWorn(opened.session));
      return { kind: 'done', value, queueMs, headerMs };
    } catch (error) {
      throw this.#closed ?? error;
    } finally {
      if (keep && this.#closed === null) this.#warm.giveBack(process);
      else void this.#warm.end(process);
      this.#busy -= 1;
      this.#host.permits.give();
      this.#dispatch();
    }
  }

  async #isWorn(session: LeanSession): Promise<boolean> {
    const isWorn = session.uses >= this.#usesMax || (await session.residentBytes()) > this.#residentBytesMax;
    if (isWorn) this.#recycled += 1;
    return isWorn;
  }
}

/** Waits until the header is imported. The signal aborts the import. */
async function openingOf(process: PoolProcess, signal: AbortSignal | undefined) {
  const onAbort = (): void => process.stop.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    signal?.throwIfAborted();
    const opened = await process.opening;
    signal?.throwIfAborted();
    return opened;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
