/** Collects a pool's statistics and finds the most requested header. */

/** Number of headers whose requests are counted. Beyond it, all counts are halved and rare headers are dropped. */
const HEADERS_MAX = 64;

export interface Usage {
  /** Records that a task begins. Call the returned function when the task ends. */
  begin(): () => void;
  /** Records a lease: how long it waited for a session, and how long for its header, ms. */
  count(lease: { readonly queueMs: number; readonly headerMs: number; readonly isWarm: boolean }): void;
  /** Sums over the leases that ran. `runMs` includes running tasks. */
  totals(): { readonly queueMs: number; readonly headerMs: number; readonly runMs: number; readonly reused: number };
  /** Time since the pool was opened, ms. */
  ageMs(): number;
}

export function openUsage(): Usage {
  const openedAt = performance.now();
  let running = 0;
  let runMs = 0;
  let lookedAt = openedAt;
  let [queueMs, headerMs, reused] = [0, 0, 0];

  function advance(change: number): void {
    const now = performance.now();
    runMs += running * (now - lookedAt);
    lookedAt = now;
    running += change;
  }

  return {
    begin() {
      advance(1);
      return () => advance(-1);
    },
    count(lease) {
      queueMs += lease.queueMs;
      headerMs += lease.headerMs;
      if (lease.isWarm) reused += 1;
    },
    totals() {
      advance(0);
      return { queueMs, headerMs, runMs, reused };
    },
    ageMs: () => performance.now() - openedAt,
  };
}

export interface HeaderDemand {
  asked(header: string): void;
  /** Drops a header that cannot be opened, so that it is not the busiest however often it is requested. */
  forget(header: string): void;
  busiest(): string | null;
}

export function openHeaderDemand(): HeaderDemand {
  const counts = new Map<string, number>();
  return {
    asked(header) {
      counts.set(header, (counts.get(header) ?? 0) + 1);
      if (counts.size <= HEADERS_MAX) return;
      for (const [name, count] of counts) {
        if (count < 2) counts.delete(name);
        else counts.set(name, count / 2);
      }
    },
    forget: (header) => void counts.delete(header),
    busiest() {
      let best: string | null = null;
      for (const [header, count] of counts) if (best === null || count > counts.get(best)!) best = header;
      return best;
    },
  };
}
