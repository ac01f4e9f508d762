/** One snippet on a scripted process: behaviour that real Lean does not show on demand. */
import { expect, it } from 'vitest';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import { openPool } from '../runtime/pool/open-pool.ts';
import type { LeanDriver, LeanSession, SessionExit } from '../runtime/process/driver.ts';
import { openSession } from '../runtime/process/session.ts';
import { openAnswerRoom } from './answer-room.ts';
import { checkSnippet } from './check-snippet.ts';

/** A process that accepts everything and answers a request for a goal as configured. */
function scripted(goalsAt: () => Promise<string | null>) {
  let closed = 0;
  const session: LeanSession = {
    header: 'import Init',
    pid: 1,
    isAlive: true,
    uses: 0,
    residentBytes: async () => 0,
    run: async () => ({
      how: 'finished',
      code: 0,
      signal: null,
      stderr: '',
      cpuMs: 0,
      peakResidentBytes: 0,
    }),
    goalsAt,
    close: async () => {
      closed += 1;
    },
  };
  const pool = {
    lease: async (_: string, task: (session: LeanSession) => Promise<unknown>) => ({
      kind: 'done',
      value: await task(session),
      queueMs: 0,
      headerMs: 0,
    }),
  } as unknown as LeanPool;
  return { pool, closed: () => closed };
}

const HOLES = 'theorem a : 1 = 1 := sorry\ntheorem b : 1 = 1 := sorry';

const check = (pool: LeanPool, signal: AbortSignal, code = HOLES) =>
  checkSnippet(
    { id: 'a', code },
    {
      pool,
      timeoutMs: 1_000,
      cpuTimeoutMs: null,
      memoryBytesMax: 1,
      fresh: false,
      room: openAnswerRoom()(),
      hidePaths: (text) => text,
      signal,
      onStart: () => {},
    },
  );

it('leaves a goal out that Lean fails to tell', async () => {
  let asked = 0;
  const { pool, closed } = scripted(async () => {
    asked += 1;
    if (asked === 1) throw new Error('no such method');
    return '⊢ 1 = 1';
  });
  const { result } = await check(pool, new AbortController().signal);
  expect(result.response?.sorries?.map(({ goal }) => goal)).toEqual(['', '⊢ 1 = 1']);
  expect(closed()).toBe(0);
});

it('ends a process that never comes to the end of a goal, when its client leaves', async () => {
  const leaving = new AbortController();
  const { pool, closed } = scripted(() => {
    setTimeout(() => leaving.abort(new Error('the client left')), 10);
    return new Promise(() => {});
  });
  await expect(check(pool, leaving.signal)).rejects.toThrow('the client left');
  expect(closed()).toBe(1);
});

it('ends such a process also for a client that stays, and answers without the goal', async () => {
  const { pool, closed } = scripted(() => new Promise(() => {}));
  const { result, outcome } = await check(pool, new AbortController().signal);
  expect(outcome).toBe('checked');
  expect(result.response?.sorries?.map(({ goal }) => goal)).toEqual(['', '']);
  expect(closed()).toBe(1);
});

/** Real sessions in a real pool of one; `endOf` says how the run of a body ends in the process of this number. */
function pooled(endOf: (process: number, body: string) => SessionExit['how']) {
  let opened = 0;
  const driver: LeanDriver = {
    name: 'server',
    candidatesPerRun: 1,
    async open(header) {
      opened += 1;
      const process = opened;
      const exit = { code: 0, signal: null, stderr: '', cpuMs: 0, peakResidentBytes: 0 };
      const session = openSession({
        header,
        pid: process,
        residentBytes: async () => 0,
        runOnce: async ({ body }) => ({ ...exit, how: endOf(process, body) }),
        end: async () => {},
      });
      return { kind: 'open', session, headerMs: 0 };
    },
  };
  return { pool: openPool({ driver, processes: 1, memoryBytesMax: 1 }), opened: () => opened };
}

it('gives a process to nobody that cannot read its bare imports again', async () => {
  const { pool, opened } = pooled((process, body) => (process === 1 && body === '' ? 'crashed' : 'finished'));
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count += 1)
    expect(await check(pool, signal, 'theorem a : 1 = 1 := rfl')).toMatchObject({ outcome: 'checked' });
  expect(opened()).toBe(2);
  await pool.close();
});

it('checks a snippet again by itself where others may have filled the memory of its process', async () => {
  const { pool, opened } = pooled((process, body) => (process === 1 && body.includes('large') ? 'memory' : 'finished'));
  const { signal } = new AbortController();
  expect(await check(pool, signal, 'theorem a : 1 = 1 := rfl')).toMatchObject({ outcome: 'checked' });
  expect(await check(pool, signal, 'theorem large : 1 = 1 := rfl')).toMatchObject({ outcome: 'checked' });
  expect(opened()).toBe(2);
  await pool.close();
});

it('does not check one again that used up the memory of its own process', async () => {
  const { pool, opened } = pooled(() => 'memory');
  expect(await check(pool, new AbortController().signal, 'theorem a : 1 = 1 := rfl')).toMatchObject({
    outcome: 'memory',
  });
  expect(opened()).toBe(1);
  await pool.close();
});
