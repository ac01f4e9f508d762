/** Clocks for fakes whose states change with time: one that the test moves, and one that runs fast by itself. */
export interface FakeClock {
  /** ms since 1970 */
  now(): number;
  advance(ms: number): void;
}

export function fakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startMs;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

/** Real time, so many times as fast: for programs that wait by themselves. */
export function fastClock(factor: number): FakeClock {
  const startMs = Date.now();
  let movedMs = 0;
  return {
    now: () => startMs + (Date.now() - startMs) * factor + movedMs,
    advance(ms) {
      movedMs += ms;
    },
  };
}
