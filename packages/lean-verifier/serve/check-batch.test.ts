/** The snippets of one request on scripted processes: the size limit of their answer, and how snippets share it. */
import { expect, it } from 'vitest';
import type { LeanPool } from '../runtime/pool/lean-pool.ts';
import type { LeanSession, SessionRun } from '../runtime/process/driver.ts';
import { checkBatch } from './check-batch.ts';
import { ANSWER_CHARS_MAX, DEFAULT_LIMITS, SNIPPET_ANSWER_CHARS_MAX } from './limits.ts';
import { ServeMetrics } from './serve-metrics.ts';

/** Each of its processes says of `-- say N` a message of N characters, all at the same time; goals have the given length. */
function scriptedPool(processes: number, goalChars = 0): LeanPool {
  const { promise: together, resolve } = Promise.withResolvers<void>();
  let running = 0;
  const session: LeanSession = {
    header: 'import Init',
    pid: 1,
    isAlive: true,
    uses: 0,
    residentBytes: async () => 0,
    async run({ body, onMessage, signal }: SessionRun) {
      running += 1;
      if (running === processes) resolve();
      await together;
      const chars = Number(/-- say (\d+)/.exec(body)?.[1]);
      if (chars > 0) onMessage({ severity: 'warning', line: 2, column: 0, text: 'x'.repeat(chars) }, () => {});
      signal?.throwIfAborted();
      return { how: 'finished', code: 0, signal: null, stderr: '', cpuMs: 0, peakResidentBytes: 0 };
    },
    goalsAt: async () => 'g'.repeat(goalChars),
    close: async () => {},
  };
  return {
    stats: () => ({ processes }),
    lease: async (_: string, task: (session: LeanSession) => Promise<unknown>) => ({
      kind: 'done',
      value: await task(session),
      queueMs: 0,
      headerMs: 0,
    }),
  } as unknown as LeanPool;
}

async function outcomes(pool: LeanPool, codes: readonly string[]) {
  const results = await checkBatch(
    codes.map((code, index) => ({ id: String(index), code })),
    {
      pool,
      limits: DEFAULT_LIMITS,
      metrics: new ServeMetrics(pool),
      timeoutMs: 60_000,
      cpuTimeoutMs: null,
      fresh: false,
      debug: false,
      hidePaths: (text) => text,
      signal: new AbortController().signal,
    },
  );
  const chars = JSON.stringify(results).length;
  return { kinds: results.map(({ outcome }) => outcome), results, chars };
}

const SAME_TIME = 64;

it('lets every snippet have its messages, however many are checked at the same time', async () => {
  const { kinds } = await outcomes(
    scriptedPool(SAME_TIME),
    Array.from({ length: SAME_TIME }, () => '-- say 100'),
  );
  expect(kinds).toEqual(Array.from({ length: SAME_TIME }, () => 'checked'));
});

it('refuses what says more than one snippet may, and takes nothing from the others for it', async () => {
  const much = SNIPPET_ANSWER_CHARS_MAX + 1;
  const codes = Array.from({ length: SAME_TIME }, (_, index) => `-- say ${index % 2 === 0 ? much : 100}`);
  const { kinds } = await outcomes(scriptedPool(SAME_TIME), codes);
  expect(kinds).toEqual(codes.map((_, index) => (index % 2 === 0 ? 'output' : 'checked')));
});

it('refuses what would make the whole answer larger than it may be', async () => {
  const most = SNIPPET_ANSWER_CHARS_MAX;
  const count = ANSWER_CHARS_MAX / most + 2;
  const { kinds } = await outcomes(
    scriptedPool(count),
    Array.from({ length: count }, () => `-- say ${most}`),
  );
  expect(kinds.filter((kind) => kind === 'checked').length).toBe(ANSWER_CHARS_MAX / most);
  expect(kinds.filter((kind) => kind === 'output').length).toBe(2);
});

it('counts goals as well: those that the answer has no room for are left out', async () => {
  const holes = Array.from({ length: 64 }, () => 'example : True := sorry').join('\n');
  const { chars, results } = await outcomes(
    scriptedPool(16, 65_536),
    Array.from({ length: 16 }, () => `-- say 0\n${holes}`),
  );
  expect(results[0]!.response?.sorries?.[0]?.goal).toMatch(/^g+$/);
  expect(chars).toBeLessThan(ANSWER_CHARS_MAX + 1_000_000);
});
