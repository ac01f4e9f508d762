/**
 * Tests rate limits per minute with a real database, on a clock that the test moves, and with two processes. About 2 s.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Clock, RateLimits } from './rate-limits.ts';

const signal = new AbortController().signal;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-limits-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Time passes only while a request waits. */
function ownClock(): Clock & { at: number } {
  const clock = {
    at: 1_000,
    now: () => clock.at,
    wait: async (milliseconds: number) => {
      clock.at += milliseconds;
    },
  };
  return clock;
}

const openWith = (clock: Clock) => new RateLimits(join(directory, 'limits.sqlite'), { windowMs: 60_000, clock });

/** Returns the largest number of requests in any minute. */
const fullest = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length));

it('no minute has more requests than allowed, and none has fewer than it could', async () => {
  const clock = ownClock();
  const limits = openWith(clock);
  const limit = { requestsPerMinute: 10, tokensPerMinute: null };
  const times: number[] = [];
  for (let request = 0; request < 35; request++) {
    await limits.admit('a', 1, limit, signal);
    times.push(clock.at);
    clock.at += 700;
  }
  expect(fullest(times)).toBe(10);
  // One request may start every six seconds, and no time is lost in between.
  expect(times.at(-1)! - times[0]!).toBe(34 * 6_000);
  // Another account has limits of its own.
  const before = clock.at;
  await limits.admit('b', 1, limit, signal);
  expect(clock.at).toBe(before);
  limits.close();
});

it('tokens count as estimated, and then as they were', async () => {
  const clock = ownClock();
  const limits = openWith(clock);
  const limit = { requestsPerMinute: null, tokensPerMinute: 100 };
  const first = await limits.admit('a', 90, limit, signal);
  limits.correct(first, 20);
  await limits.admit('a', 80, limit, signal);
  expect(clock.at).toBe(1_000);
  await limits.admit('a', 10, limit, signal);
  expect(clock.at).toBeGreaterThanOrEqual(61_000);
  // A request larger than the limit waits until no other request runs; it is not blocked for ever.
  await limits.admit('a', 500, limit, signal);
  expect(clock.at).toBeGreaterThanOrEqual(121_000);
  limits.close();
});

it('nobody sends while the server wants to be left alone', async () => {
  const clock = ownClock();
  const [one, other] = [openWith(clock), openWith(clock)];
  one.hold('a', 5_000);
  await other.admit('a', 1, { requestsPerMinute: null, tokensPerMinute: null }, signal);
  expect(clock.at).toBeGreaterThanOrEqual(6_000);
  one.close();
  other.close();
});

it('what another process has sent counts, also if it was killed', async () => {
  const path = join(directory, 'limits.sqlite');
  const script = `
    import { RateLimits } from ${JSON.stringify(join(import.meta.dirname, 'rate-limits.ts'))};
    const limits = new RateLimits(${JSON.stringify(path)}, { windowMs: 60_000 });
    const signal = new AbortController().signal;
    await limits.admit('a', 1, { requestsPerMinute: 2, tokensPerMinute: null }, signal);
    process.kill(process.pid, 'SIGKILL');`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]).catch(() => undefined);
  const waits: number[] = [];
  const machine = { now: () => Number(process.hrtime.bigint() / 1_000_000n) };
  const limits = new RateLimits(path, {
    windowMs: 60_000,
    clock: {
      ...machine,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
      },
    },
  });
  await limits.admit('a', 1, { requestsPerMinute: 2, tokensPerMinute: null }, signal);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(1_000);
  expect(waits[0]).toBeLessThanOrEqual(30_000);
  limits.close();
});
