/**
 * `npm run rehearsal`: a whole installation on this machine, and a run on it from start to report, over real ssh, Temporal's own
 * server on PostgreSQL and mutual TLS; ended by SIGINT it leaves nothing. Needs
 * root and what the rehearsal needs; Temporal's server must have been built by an earlier `npm run rehearsal`. Else the tests say
 * so and are skipped. Costs five minutes.
 *
 * @module-tag slow
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { missing } from '../../tools/rehearsal/needs.ts';
import { leftovers } from '../../tools/rehearsal/takedown.ts';
import { isBuilt } from '../../tools/rehearsal/temporal-server.ts';

const lacks = await missing();
const built = await isBuilt();
const why =
  lacks.length > 0 ? lacks.map(({ what }) => what).join('; ') : built ? null : 'Temporal’s server is not built';
if (why !== null) console.log(`the rehearsal is not tested: ${why}`);

const rehearsal = (...words: string[]) =>
  execa(process.execPath, [join(import.meta.dirname, '../../tools/rehearsal/main.ts'), ...words], {
    reject: false,
    all: true,
  });

it.skipIf(why !== null)('ends a run that nobody disturbs, and leaves nothing', async () => {
  const { exitCode, all } = await rehearsal('--undisturbed');
  expect(all).toContain('| undisturbed | 0 | completed |');
  expect([exitCode, await leftovers()], all).toEqual([0, []]);
});

it.skipIf(why !== null)('takes down what it has put up when it is interrupted', async () => {
  const running = rehearsal('--undisturbed');
  for await (const line of running) if (line.includes('PostgreSQL, Temporal')) running.kill('SIGINT');
  const { exitCode } = await running;
  expect([exitCode, await leftovers()]).toEqual([130, []]);
});

it('says what is wrong with what it is asked', async () => {
  const { exitCode, all } = await rehearsal('--seeds', 'some');
  expect([exitCode, all]).toEqual([1, expect.stringContaining('Write --seeds 1-20')]);
});
