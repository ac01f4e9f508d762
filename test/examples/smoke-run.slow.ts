/**
 * The example of a smoke run: a whole run and the check of its proofs, a minute or two.
 *
 * @module-tag slow
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { REPOSITORY } from '../support/stp.ts';
import { blocksOf } from './pages.ts';

it('has commands that do what the page says', { timeout: 900_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const run = join(folder, 'smoke-run');
  const [page] = blocksOf('smoke-run', 'sh');
  for (const command of page!.split('\n')) {
    const { exitCode, all } = await execa('sh', ['-c', command.replaceAll('runs/smoke-run', run)], {
      cwd: REPOSITORY,
      reject: false,
      all: true,
    });
    expect([command, exitCode, exitCode === 0 ? '' : all]).toEqual([command, 0, '']);
  }
  const summary = JSON.parse(await readFile(join(run, 'summary.json'), 'utf8'));
  expect(summary).toMatchObject({ statements: 12, samples: expect.any(Number) });
  expect(summary.provedPerRound[0]).toBeGreaterThan(0);
});
