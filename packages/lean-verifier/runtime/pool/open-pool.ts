/**
 * The pool. A lease waits for a permit of the host, takes a process with its header imported or has one opened, and
 * returns it afterwards. A worn process is ended, and a new one opens when it is needed. If spares are allowed, they
 * open in advance while the host has a free permit. Waiting, importing and checking are timed separately.
 */
import { StpError } from '@stp/base';
import type { LeanDriver, LeanSession } from '../process/driver.ts';
import { type LeanHost, openLeanHost } from './lean-host.ts';
import type { LeanPool, Leased, LeaseOptions } from './lean-pool.ts';
import { openHeaderDemand, openUsage } from './usage.ts';
import { openWaitingList } from './waiting-list.ts';
import { openWarmProcesses, type PoolProcess } from './warm-processes.ts';

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
  const { driver, processes, memoryBytesMax, usesMax = USES_MAX, residentBytesMax = Infinity, spares = 0 } = options;
  if (!Number.isInteger(processes) || processes < 1)
    throw new StpError(
      'STP1002',
      `Lean needs at least one process, not ${processes}`,
      'Give a whole number from 1 (`verification.processes`).',
    );
  const host = options.host ?? openLeanHost();
  let busy = 0;
  /** Requested permits that have not been granted; `leave` withdraws the request. */
  const asked = new Set<{ leave: () => void }>();
  let recycled = 0;
  let closed: StpError | null = null;
  const leases = new Set<Promise<unknown>>();
  const waiting = openWaitingList<Grant>();
  const usage = openUsage();
  const demand = openHeaderDemand();
  const warm = openWarmProcesses({
    driver,
    memoryBytesMax,
    sessionsMax: processes + spares,
    host: host.processes,
    onGone: dispatch,
    onWarmed(header, opened) {
      if (!opened) demand.forget(header);
      dispatch();
    },
  });

  function dispatch(): void {
    if (closed !== null) return;
    warm.sweep();
    while (busy + asked.size < processes && asked.size < waiting.size) ask();
    const busiest = demand.busiest();
    if (busy < processes && busiest !== null && warm.spares(busiest) < spares) warm.warm(busiest);
  }

  /**
   * Requests a permit. A granted permit serves the next lease in line, which need not be the one for which it was
   * requested.
   */
  function ask(): void {
    const ticket = { leave: () => {} };
    asked.add(ticket);
    ticket.leave = host.permits.take(processes, () => {
      asked.delete(ticket);
      const next = closed === null ? waiting.take(warm.price) : null;
      if (next === null) return host.permits.give();
      busy += 1;
      next.give(warm.take(next));
    });
  }

  async function run<T>(
    header: string,
    task: (session: LeanSession) => Promise<T>,
    lease: LeaseOptions,
  ): Promise<Leased<T>> {
    const askedAt = performance.now();
    const { fresh = false, signal } = lease;
    const waited = waiting.wait({ header, fresh }, lease);
    dispatch();
    const { process, isWarm } = await waited;
    const queueMs = performance.now() - askedAt;
    let keep = false;
    try {
      const opened = await openingOf(process, signal);
      if (opened.kind !== 'open') return opened;
      const headerMs = isWarm ? 0 : performance.now() - askedAt - queueMs;
      demand.asked(header);
      usage.count({ queueMs, headerMs, isWarm });
      const end = usage.begin();
      const value = await task(opened.session).finally(end);
      if (closed !== null) throw closed;
      keep = !fresh && opened.session.isAlive && !(await isWorn(opened.session));
      return { kind: 'done', value, queueMs, headerMs };
    } catch (error) {
      throw closed ?? error;
    } finally {
      if (keep && closed === null) warm.giveBack(process);
      else void warm.end(process);
      busy -= 1;
      host.permits.give();
      dispatch();
    }
  }

  async function isWorn(session: LeanSession): Promise<boolean> {
    const worn = session.uses >= usesMax || (await session.residentBytes()) > residentBytesMax;
    if (worn) recycled += 1;
    return worn;
  }

  return {
    driver,
    async lease(header, task, lease = {}) {
      lease.signal?.throwIfAborted();
      if (closed !== null) throw closed;
      const running = run(header, task, lease);
      leases.add(running);
      try {
        return await running;
      } finally {
        leases.delete(running);
      }
    },
    stats() {
      const { queueMs, headerMs, runMs, reused } = usage.totals();
      const utilisation = runMs / Math.max(1, processes * usage.ageMs());
      const started = warm.started();
      const counts = { processes, busy, waiting: waiting.size, started, recycled, reused };
      return { ...counts, queueMs, headerMs, runMs, utilisation };
    },
    async close() {
      closed ??= new StpError('STP1203', 'the pool of Lean processes was closed', 'Open a new one.');
      waiting.failAll(closed);
      for (const { leave } of asked) leave();
      asked.clear();
      await warm.endAll();
      await Promise.allSettled(leases);
    },
  };
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
