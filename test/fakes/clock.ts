/** A clock that stands still until it is moved, for fakes whose states change with time. */
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
