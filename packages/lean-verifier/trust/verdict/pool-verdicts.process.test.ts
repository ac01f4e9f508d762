/**
 * Verdicts over the pool on a simulated clock: for any effect of candidates on their processes, any kills from outside,
 * and any order, every candidate gets exactly one verdict, its own. Then the same with real Lean, whose processes a
 * test kills at random. About twenty seconds of one core.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPool } from '../../runtime/pool/open-pool.ts';
import { expectVerdictsDespiteKills } from '../../testing/killed-at-random.ts';
import { type ScriptedDriver, scriptedDriver } from '../../testing/scripted-driver.ts';
import { simulate } from '../../testing/simulated-time.ts';
import { type CheckEntry, checkEntries } from './check-entries.ts';
import type { Outcome } from './check-outcome.ts';
import { limitClasses } from './limits.ts';
import { PROOFS } from './run-batch.ts';

const LIMITS = limitClasses({ candidateTimeoutMs: 6_000, memoryBytesMax: 1_000 });
const OPEN_MS = 300;

const EXPECTED = {
  ok: 'unrefuted',
  poison: 'unrefuted',
  big: 'unrefuted',
  wrong: 'rejected',
  crash: 'crash',
  memory: 'oom',
  hang: 'timeout',
  ends: 'rejected',
  lacks: 'crash',
} as const;
type Action = keyof typeof EXPECTED;

interface Entry extends CheckEntry {
  readonly expected: string;
}

function entry(action: Action, ms = 15, header = 'A'): Entry {
  const expected = header === 'bad' ? 'header_error' : header === 'dead' ? 'infra' : EXPECTED[action];
  return { header, signature: ' : True', proofText: `  trivial -- ${action} ${ms}`, expected };
}

function simulated(options: {
  processes: number;
  candidatesPerRun?: number;
  spares?: number;
  entriesPerRun?: number;
  pace?: number;
}) {
  const { processes, candidatesPerRun = 1, spares = 0, entriesPerRun = candidatesPerRun } = options;
  const driver = scriptedDriver({ candidatesPerRun, openMs: OPEN_MS, closeMs: 20, pace: options.pace ?? 0 });
  const pool = openPool({ driver, processes, memoryBytesMax: 2_000, spares, usesMax: 20 });
  const stop = new AbortController();
  const outcomes = new Map<Entry, Outcome>();
  const check = {
    pool,
    ...LIMITS,
    smallLimitsOnly: false,
    alone: false,
    entriesPerRun,
    form: PROOFS,
    signal: stop.signal,
  };
  /** Fails if an entry is settled twice. */
  const settle = (one: Entry, outcome: Outcome): void => {
    expect(outcomes.has(one)).toBe(false);
    outcomes.set(one, outcome);
  };
  const run = (entries: readonly Entry[], over: Partial<typeof check> = {}) =>
    checkEntries({ ...check, ...over }, entries, settle);
  return { driver, pool, stop, outcomes, run };
}

function expectOwn(entries: readonly Entry[], outcomes: ReadonlyMap<Entry, Outcome>): void {
  expect(entries.map((one) => outcomes.get(one)?.kind)).toEqual(entries.map(({ expected }) => expected));
}

function bounded(driver: ScriptedDriver, processes: number, spares = 0): void {
  expect(driver.live.size).toBeLessThanOrEqual(processes + spares);
  expect(driver.running()).toBeLessThanOrEqual(processes);
  expect(driver.overlapped).toBe(false);
}

describe('on a simulated clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('single proofs on warm processes: each its own verdict, times told apart', async () => {
    const { pool, driver, outcomes, run } = simulated({ processes: 1 });
    const entries = [entry('ok', 10), entry('wrong', 20), entry('big', 30), entry('ok', 40)];
    await simulate(run(entries));
    expectOwn(entries, outcomes);
    expect(outcomes.get(entries[3]!)!.checkMs).toBe(40);
    expect(outcomes.get(entries[1]!)!.queueMs).toBe(OPEN_MS + 10);
    expect(driver.opened).toBe(1);
    await simulate(pool.close());
  });

  test('what a check took is its part of the processor time of its run', async () => {
    const { pool, outcomes, run } = simulated({ processes: 1, candidatesPerRun: 16, pace: 0.25 });
    const entries = [entry('ok', 40), entry('wrong', 20)];
    await simulate(run(entries));
    expect(entries.map((one) => outcomes.get(one)!.checkMs)).toEqual([10, 5]);
    await simulate(pool.close());
  });

  test('with as many heartbeats in both classes nothing is tried again for want of them', async () => {
    const { pool, driver, outcomes, run } = simulated({ processes: 1, candidatesPerRun: 16 });
    const entries = [entry('ok'), entry('big'), entry('wrong')];
    await simulate(
      run(entries, limitClasses({ candidateTimeoutMs: 6_000, memoryBytesMax: 1_000, heartbeatsMax: 1_000 })),
    );
    expect(entries.map((one) => outcomes.get(one)!.kind)).toEqual(['unrefuted', 'timeout', 'rejected']);
    expect(driver.opened).toBe(1);
    await simulate(pool.close());
  });

  test('a process that another candidate has ruined decides nothing', async () => {
    for (const candidatesPerRun of [1, 16]) {
      const { pool, outcomes, run } = simulated({ processes: 1, candidatesPerRun });
      const entries = [entry('poison'), entry('ok'), entry('poison'), entry('wrong'), entry('poison'), entry('crash')];
      await simulate(run(entries));
      expectOwn(entries, outcomes);
      await simulate(pool.close());
    }
  });

  test('a header that is wrong, and a Lean that does not start, are asked for a bounded number of times', async () => {
    const { pool, driver, outcomes, run } = simulated({ processes: 2 });
    const entries = Array.from({ length: 50 }, (_, index) => entry('ok', 10, index < 25 ? 'bad' : 'dead'));
    await simulate(run(entries));
    expectOwn(entries, outcomes);
    expect(driver.opened).toBeLessThan(20);
    await simulate(pool.close());
  });

  test("a header whose modules go missing meanwhile is nobody's fault", async () => {
    const { pool, driver, outcomes, run } = simulated({ processes: 1 });
    const entries = Array.from({ length: 60 }, () => entry('ok', 10, 'fades'));
    await simulate(run(entries));
    const kinds = entries.map((one) => outcomes.get(one)!.kind);
    expect(new Set(kinds.slice(0, 40))).toEqual(new Set(['unrefuted']));
    expect(new Set(kinds.slice(40))).toEqual(new Set(['infra']));
    expect(driver.opened).toBeLessThan(10);
    await simulate(pool.close());
  });

  test('kills without end come to infra, and to nothing that would count', async () => {
    const { pool, driver, outcomes, run } = simulated({ processes: 1 });
    const killing = setInterval(() => {
      for (const session of driver.live) session.kill();
    }, 400);
    const entries = [entry('ok', 500), entry('wrong', 500)];
    await simulate(run(entries));
    clearInterval(killing);
    expect(entries.map((one) => outcomes.get(one)!.kind)).toEqual(['infra', 'infra']);
    await simulate(pool.close());
  });

  test('aborting rejects with the reason and leaves nothing running', async () => {
    const { pool, driver, stop, run } = simulated({ processes: 2 });
    setTimeout(() => stop.abort(new Error('enough')), 700);
    await expect(simulate(run(Array.from({ length: 200 }, () => entry('ok', 50))))).rejects.toThrow('enough');
    expect(driver.running()).toBe(0);
    expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
    await simulate(pool.close());
    expect(vi.getTimerCount()).toBe(0);
  });

  test('closing the pool rejects, and a call that comes later too', async () => {
    const { pool, run } = simulated({ processes: 2 });
    setTimeout(() => void pool.close(), 700);
    const entries = Array.from({ length: 200 }, () => entry('ok', 50));
    await expect(simulate(run(entries))).rejects.toMatchObject({ code: 'STP1203' });
    await expect(simulate(run(entries))).rejects.toMatchObject({ code: 'STP1203' });
  });

  test('of many entries only a bounded number is held', async () => {
    const { pool, outcomes, run } = simulated({ processes: 2 });
    let taken = 0;
    function* many(): Generator<Entry> {
      for (let index = 0; index < 3_000; index += 1) {
        taken += 1;
        yield entry('ok', 1);
      }
    }
    let heldMax = 0;
    await simulate(run(many() as unknown as Entry[]), () => {
      heldMax = Math.max(heldMax, taken - outcomes.size);
    });
    expect(outcomes.size).toBe(3_000);
    expect(heldMax).toBeLessThan(30);
    await simulate(pool.close());
  });

  const action = fc.constantFrom<Action>(
    ...new Array<'ok'>(5).fill('ok'),
    'wrong',
    'big',
    'crash',
    'ends',
    'lacks',
    'memory',
    'hang',
    'poison',
  );
  const anyEntry = fc
    .tuple(action, fc.oneof(fc.nat(200), fc.nat(20_000)), fc.constantFrom('A', 'A', 'A', 'A', 'B', 'B', 'bad', 'dead'))
    .map((parts) => entry(...parts));
  const setting = fc.record({
    processes: fc.integer({ min: 1, max: 3 }),
    candidatesPerRun: fc.constantFrom(1, 1, 4, 128),
    spares: fc.nat(1),
  });
  // A kill that hits a piece of work five times in a row is no accident any more, so there are at most five in all.
  const kills = fc.array(fc.tuple(fc.nat(8_000), fc.nat(3)), { maxLength: 5 });

  test('any entries, any kills: exactly one verdict each, and its own', async () => {
    await fc.assert(
      fc.asyncProperty(setting, fc.array(anyEntry, { maxLength: 40 }), kills, async (options, entries, killed) => {
        const { pool, driver, outcomes, run } = simulated(options);
        for (const [atMs, which] of killed) setTimeout(() => [...driver.live][which]?.kill(), atMs);
        await simulate(run(entries), () => bounded(driver, options.processes, options.spares));
        expectOwn(entries, outcomes);
        expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
        await simulate(pool.close());
        expect(driver.live.size).toBe(0);
      }),
      { numRuns: 120, seed: 11 },
    );
  });

  test('two callers, one of whom gives up or both of whom lose the pool: nobody else is disturbed', async () => {
    const scenario = fc.record({
      mine: fc.array(anyEntry, { maxLength: 20 }),
      theirs: fc.array(anyEntry, { maxLength: 20 }),
      abortAtMs: fc.nat(4_000),
    });
    await fc.assert(
      fc.asyncProperty(setting, scenario, async (options, { mine, theirs, abortAtMs }) => {
        const { pool, driver, outcomes, run } = simulated(options);
        const stop = new AbortController();
        const aborting = setTimeout(() => stop.abort(new Error('enough')), abortAtMs);
        const both = Promise.allSettled([run(mine), run(theirs, { signal: stop.signal })]);
        const [own, other] = await simulate(both, () => bounded(driver, options.processes, options.spares));
        clearTimeout(aborting);
        expect(own.status).toBe('fulfilled');
        expectOwn(mine, outcomes);
        if (other.status === 'fulfilled') expectOwn(theirs, outcomes);
        else expect(other.reason).toMatchObject({ message: 'enough' });
        expect(driver.running()).toBe(0);
        expect(pool.stats()).toMatchObject({ busy: 0, waiting: 0 });
        await simulate(pool.close());
        expect(driver.live.size).toBe(0);
      }),
      { numRuns: 80, seed: 12 },
    );
  });
});

test('with real Lean: forty candidates on two servers that are killed at random get their verdicts, once each', {
  tags: ['slow'],
}, async () => {
  await expectVerdictsDespiteKills('server');
});
