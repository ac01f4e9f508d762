/**
 * 200 proofs with four votes each, under a limit of 600 requests a minute that two processes share. The server counts: no minute has more
 * requests than allowed. Costs 80 s, which is what 800 requests take at that pace. The time it took is
 * printed; `docs/log.md` has it.
 *
 * @module-tag slow
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startJudgeServer } from '../fakes/judge-server.ts';
import { stp } from '../support/stp.ts';

vi.setConfig({ testTimeout: 600_000 });

const MINUTE_MS = 60_000;
const PER_MINUTE = 600;
const VOTES = 4;
const LATENCY_MS = 500;

it('a limit of 600 requests a minute is kept by all processes together, and used up', async () => {
  const server = await startJudgeServer({
    rule: (proof) => (proof.includes('complete') ? 1 : 0),
    latencyMs: LATENCY_MS,
  });
  const directory = await mkdtemp(join(tmpdir(), 'stp-judge-pace-'));
  try {
    const config = join(directory, 'judges.json');
    const limits = { requestsPerMinute: PER_MINUTE };
    await writeFile(
      config,
      JSON.stringify({ judges: [{ url: `${server.url}/v1`, model: 'by-rule', votes: VOTES, limits }] }),
    );
    const halves = await Promise.all(
      [0, 100].map(async (first) => {
        const path = join(directory, `${first}.jsonl`);
        const rows = Array.from({ length: 100 }, (_, at) => ({
          id: `p${first + at}`,
          problem: `Show ${first + at}.`,
          proof: `a complete proof of ${first + at}`,
        }));
        await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
        return path;
      }),
    );
    const runs = halves.map((path, at) =>
      stp(['judge', path, '--config', config, '--records', join(directory, `records-${at}`)], {
        env: { STP_CACHE: join(directory, 'cache') },
      }),
    );
    for (const run of runs) expect((await run).exitCode).toBe(0);
    const times = server.requests.map(({ atMs }) => atMs).sort((a, b) => a - b);
    expect(times).toHaveLength(200 * VOTES);
    const fullest = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS).length));
    expect(fullest).toBeLessThanOrEqual(PER_MINUTE);
    const leastMs = ((times.length - 1) * MINUTE_MS) / PER_MINUTE;
    const tookMs = times.at(-1)! - times[0]!;
    console.log(
      `fullest minute: ${fullest} requests; from first to last ${Math.round(tookMs)} ms, at least ${leastMs} ms`,
    );
  } finally {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
});
