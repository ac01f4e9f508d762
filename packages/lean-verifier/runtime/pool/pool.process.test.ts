/**
 * Tests the promises of a pool of Lean processes, on a simulated clock and with a driver that follows a script: who gets which
 * process when, what is ended and opened for it, and that no order of events breaks its limits or leaves anything behind.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ScriptedDriver, type ScriptedSession, scriptedDriver } from '../../testing/scripted-driver.ts';
import { elapse, simulate } from '../../testing/simulated-time.ts';
import { openLeanHost } from './lean-host.ts';
import type { LeanPool, LeaseOptions } from './lean-pool.ts';
import { openPool, type PoolOptions } from './open-pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OPEN_MS = 300;

function open(options: Partial<PoolOptions> = {}): { pool: LeanPool; driver: ScriptedDriver } {
  const driver = scriptedDriver({ candidatesPerRun: 1, openMs: OPEN_MS, closeMs: 20 });
  return { pool: openPool({ driver, processes: 1, memoryBytesMax: 1_000, ...options }), driver };
}

/** Holds a session for a while. Resolves with the session's position in the order of sessions, and its time. */
function holder(pool: LeanPool) {
  const order: string[] = [];
  const hold = (name: string, header: string, ms: number, lease: LeaseOptions = {}) =>
    pool.lease(
      header,
      async (session) => {
        order.push(name);
        await elapse(ms);
        return session as ScriptedSession;
      },
      lease,
    );
  return { order, hold };
}

describe('a lease', () => {
  test('finds its header imported the second time, and its three times are told apart', async () => {
    const { pool, driver } = open();
    const { hold } = holder(pool);
    const [first, second] = await simulate(Promise.all([hold('a', 'A', 50), hold('b', 'A', 70)]));
    expect(first).toMatchObject({ kind: 'done', queueMs: 0, headerMs: OPEN_MS });
    expect(second).toMatchObject({ kind: 'done', queueMs: OPEN_MS + 50, headerMs: 0 });
    expect(driver.opened).toBe(1);
    const { runMs, headerMs, queueMs, reused, started } = pool.stats();
    expect({ runMs, headerMs, queueMs, reused, started }).toEqual({
      runMs: 120,
      headerMs: OPEN_MS,
      queueMs: OPEN_MS + 50,
      reused: 1,
      started: 1,
    });
    expect(pool.stats().utilisation).toBeCloseTo(120 / (OPEN_MS + 120));
  });

  test('of another header ends the process that is idle longest, and only where there is no room', async () => {
    const { pool, driver } = open({ processes: 2 });
    const { hold } = holder(pool);
    await simulate(hold('a', 'A', 10));
    await simulate(hold('b', 'B', 10));
    expect([...driver.live].map(({ header }) => header)).toEqual(['A', 'B']);
    const leased = await simulate(hold('c', 'C', 10));
    expect([...driver.live].map(({ header }) => header)).toEqual(['B', 'C']);
    expect(leased).toMatchObject({ headerMs: 20 + OPEN_MS });
    expect(await simulate(hold('b', 'B', 10))).toMatchObject({ headerMs: 0 });
  });

  test('waits its turn, as it came', async () => {
    const { pool } = open();
    const { order, hold } = holder(pool);
    await simulate(Promise.all([hold('1', 'A', 5), hold('2', 'A', 5), hold('3', 'A', 5)]));
    expect(order).toEqual(['1', '2', '3']);
  });

  test('with a warm header goes before one that is not, but not for ever', async () => {
    const { pool, driver } = open();
    const { order, hold } = holder(pool);
    const names = Array.from({ length: 40 }, (_, index) => `A${index}`);
    await simulate(Promise.all([hold('first', 'A', 5), hold('B', 'B', 5), ...names.map((name) => hold(name, 'A', 5))]));
    expect(order.indexOf('B')).toBe(33);
    expect(driver.opened).toBe(3);
  });

  test('gives up after its longest wait or on its signal, and delays nobody else', async () => {
    const { pool } = open();
    const { order, hold } = holder(pool);
    const stop = new AbortController();
    const holding = hold('first', 'A', 1_000);
    const late = hold('late', 'A', 5, { waitMsMax: 400 });
    const aborted = hold('aborted', 'A', 5, { signal: stop.signal });
    const last = hold('last', 'A', 5);
    setTimeout(() => stop.abort(new Error('enough')), 500);
    const results = await simulate(Promise.allSettled([holding, late, aborted, last]));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'STP1206', retryable: true } });
    expect(results[2]).toMatchObject({ reason: { message: 'enough' } });
    expect(order).toEqual(['first', 'last']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is aborted while its header is imported ends the process', async () => {
    const { pool, driver } = open();
    const { hold } = holder(pool);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 100);
    const [gone] = await simulate(Promise.allSettled([hold('a', 'A', 5, { signal: stop.signal }), elapse(200)]));
    expect(gone).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    expect(driver.live.size).toBe(0);
    expect(await simulate(hold('b', 'A', 5))).toMatchObject({ kind: 'done' });
  });

  test('hears of a header with errors and of a Lean that does not start, and leaves no process', async () => {
    const { pool, driver } = open();
    const { hold } = holder(pool);
    expect(await simulate(hold('a', 'bad', 5))).toMatchObject({ kind: 'header_error' });
    expect(await simulate(hold('b', 'dead', 5))).toMatchObject({ kind: 'no_start', exit: { code: 3 } });
    expect(driver.live.size).toBe(0);
    expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
  });

  test('that asks for a fresh process gets one that has run nothing, which is ended afterwards', async () => {
    const { pool, driver } = open({ processes: 2 });
    const run = (fresh: boolean) =>
      pool.lease(
        'A',
        async (session) => {
          const before = session.uses;
          await session.run({ body: '', deadlineMs: 1, memoryBytesMax: 1, onMessage: () => {} });
          return before;
        },
        { fresh },
      );
    await simulate(run(false));
    expect(await simulate(run(true))).toMatchObject({ value: 0, headerMs: OPEN_MS });
    // There is room for two, so the first of these has to be gone before the second is opened.
    expect(await simulate(run(true))).toMatchObject({ value: 0, headerMs: 20 + OPEN_MS });
    expect(await simulate(run(false))).toMatchObject({ value: 1, headerMs: 0 });
    await simulate(elapse(100));
    expect(driver.live.size).toBe(1);
  });
});

describe('a process', () => {
  const run = (pool: LeanPool) =>
    pool.lease('A', async (session) => {
      await session.run({ body: '', deadlineMs: 1, memoryBytesMax: 1, onMessage: () => {} });
      return session as ScriptedSession;
    });

  test('is ended after its number of uses, or when it holds too much memory', async () => {
    const { pool, driver } = open({ usesMax: 3, residentBytesMax: 500 });
    for (let index = 0; index < 7; index += 1) await simulate(run(pool));
    expect(driver.opened).toBe(3);
    expect(pool.stats().recycled).toBe(2);
    await simulate(
      pool.lease('A', async (session) => {
        (session as ScriptedSession).grow(501);
      }),
    );
    await simulate(run(pool));
    expect(driver.opened).toBe(4);
    expect(pool.stats().recycled).toBe(3);
  });

  test('that died while it was idle is not given out', async () => {
    const { pool, driver } = open();
    await simulate(run(pool));
    for (const session of driver.live) session.kill();
    await simulate(elapse(50));
    expect(await simulate(run(pool))).toMatchObject({ kind: 'done', headerMs: OPEN_MS });
    expect(driver.opened).toBe(2);
  });

  test('whose task failed is ended', async () => {
    const { pool, driver } = open();
    const failing = pool.lease('A', async () => {
      await elapse(5);
      throw new Error('no use');
    });
    await expect(simulate(failing)).rejects.toThrow('no use');
    await simulate(elapse(50));
    expect(driver.live.size).toBe(0);
  });

  test('is opened in advance with the busiest header while a permit is free, and used instead of a new one', async () => {
    const { pool, driver } = open({ spares: 1, usesMax: 2 });
    await simulate(run(pool));
    await simulate(elapse(OPEN_MS));
    expect(driver.live.size).toBe(2);
    await simulate(run(pool));
    expect(await simulate(run(pool))).toMatchObject({ kind: 'done', headerMs: 0 });
    expect(pool.stats()).toMatchObject({ recycled: 1 });
  });
});

test('closing ends all, rejects who waits and who runs, and takes nobody in', async () => {
  const { pool, driver } = open({ processes: 2, spares: 1 });
  const { hold } = holder(pool);
  await simulate(hold('idle', 'A', 5));
  await simulate(elapse(OPEN_MS));
  const waiting = [hold('a', 'A', 1_000), hold('b', 'B', 10), hold('c', 'C', 10)];
  setTimeout(() => void pool.close(), 100);
  const results = await simulate(Promise.allSettled([...waiting, elapse(2_000)]));
  expect(results.slice(0, 3)).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: { code: 'STP1203' } })));
  await simulate(pool.close());
  expect(driver.live.size).toBe(0);
  await expect(hold('d', 'A', 5)).rejects.toMatchObject({ code: 'STP1203' });
  expect(vi.getTimerCount()).toBe(0);
});

test('no order of leases, ends, kills and aborts breaks its bounds or leaves anything behind', async () => {
  const lease = fc.record({
    atMs: fc.nat(2_000),
    header: fc.constantFrom('A', 'A', 'A', 'B', 'C', 'bad', 'dead'),
    holdMs: fc.nat(400),
    fresh: fc.boolean(),
    waitMsMax: fc.option(fc.nat(1_000), { nil: undefined }),
    abortAtMs: fc.option(fc.nat(3_000), { nil: undefined }),
    fails: fc.boolean(),
    grows: fc.boolean(),
  });
  const scenario = fc.record({
    processes: fc.integer({ min: 1, max: 3 }),
    spares: fc.nat(2),
    usesMax: fc.integer({ min: 1, max: 4 }),
    leases: fc.array(lease, { minLength: 1, maxLength: 25 }),
    killsAtMs: fc.array(fc.nat(3_000), { maxLength: 6 }),
    closeAtMs: fc.option(fc.nat(3_000), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ processes, spares, usesMax, leases, killsAtMs, closeAtMs }) => {
      const { pool, driver } = open({ processes, spares, usesMax, residentBytesMax: 500 });
      let holding = 0;
      let settled = 0;
      const held = new Set<unknown>();
      const all = leases.map(async ({ atMs, header, holdMs, abortAtMs, fails, grows, ...options }) => {
        await elapse(atMs);
        const stop = new AbortController();
        if (abortAtMs !== undefined) setTimeout(() => stop.abort(new Error('enough')), abortAtMs);
        const task = async (session: unknown): Promise<void> => {
          expect(held.has(session)).toBe(false);
          expect((session as ScriptedSession).header).toBe(header);
          held.add(session);
          holding += 1;
          await elapse(holdMs);
          if (grows) (session as ScriptedSession).grow(501);
          holding -= 1;
          held.delete(session);
          if (fails) throw new Error('no use');
        };
        await pool.lease(header, task, { ...options, signal: stop.signal }).catch(() => {});
        settled += 1;
      });
      for (const atMs of killsAtMs) setTimeout(() => [...driver.live][atMs % 3]?.kill(), atMs);
      if (closeAtMs !== undefined) setTimeout(() => void pool.close(), closeAtMs);
      await simulate(Promise.all(all), () => {
        expect(holding).toBeLessThanOrEqual(processes);
        expect(driver.live.size).toBeLessThanOrEqual(processes + spares);
        expect(pool.stats().busy).toBeLessThanOrEqual(processes);
        expect(pool.stats().utilisation).toBeLessThanOrEqual(1);
      });
      expect(settled).toBe(leases.length);
      expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
      await simulate(pool.close());
      expect(driver.live.size).toBe(0);
    }),
    { numRuns: 150, seed: 13 },
  );
});

describe('two pools of one host', () => {
  const openTwo = (processes: number) => {
    const host = openLeanHost();
    const [left, right] = [open({ processes, host }), open({ processes, host })];
    return { left, right, host, live: () => left.driver.live.size + right.driver.live.size };
  };

  test('share the limit of one of them, and alternate', async () => {
    const { left, right, host, live } = openTwo(2);
    const [lefts, rights] = [holder(left.pool), holder(right.pool)];
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, left.driver.running() + right.driver.running(), live());
    }, 1);
    const leases = ['1', '2', '3', '4'].flatMap((name) => [
      lefts.hold(name, 'A', 50).then(() => left.pool.stats().runMs),
      rights.hold(name, 'B', 50).then(() => right.pool.stats().runMs),
    ]);
    await simulate(Promise.all(leases));
    clearInterval(watch);
    expect(most).toBe(2);
    expect([lefts.order, rights.order]).toEqual([
      ['1', '2', '3', '4'],
      ['1', '2', '3', '4'],
    ]);
    expect(left.pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
    expect(await simulate(host.permits.run(1, async () => 'free'))).toBe('free');
  });

  test('end the idle processes of the other where there is no room for one more', async () => {
    const { left, right, live } = openTwo(2);
    await simulate(Promise.all([holder(left.pool).hold('a', 'A', 10), holder(left.pool).hold('b', 'A', 10)]));
    expect(live()).toBe(2);
    await simulate(holder(right.pool).hold('c', 'C', 10));
    expect([left.driver.live.size, right.driver.live.size]).toEqual([1, 1]);
    await simulate(left.pool.close());
    expect([left.driver.live.size, right.driver.live.size]).toEqual([0, 1]);
    expect(await simulate(holder(right.pool).hold('c', 'C', 10))).toMatchObject({ headerMs: 0 });
  });

  test('wait for each other, and a closed pool takes no permit', async () => {
    const { left, right, host } = openTwo(1);
    const holding = holder(left.pool).hold('a', 'A', 500);
    const waiting = holder(right.pool).hold('b', 'B', 10);
    setTimeout(() => void right.pool.close(), 100);
    const [held, gone] = await simulate(Promise.allSettled([holding, waiting]));
    expect(held).toMatchObject({ status: 'fulfilled' });
    expect(gone).toMatchObject({ status: 'rejected', reason: { code: 'STP1203' } });
    expect(await simulate(host.permits.run(1, async () => 'free'))).toBe('free');
  });
});
