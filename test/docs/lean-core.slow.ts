/**
 * The commands of docs/lean-core.md, with a smaller run: some minutes of a core.
 *
 * @module-tag slow
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summarySchema } from '@stp/config/records';
import { ActionRanker } from '@stp/selfplay';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settings } from '../support/stp.ts';
import { REPOSITORY } from './guides.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-core-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SMALL = settings({
  'data.trainStatementsPerSetMax': 12,
  'data.heldOutStatementsPerSetMax': 4,
  'model.hiddenSize': 48,
  'model.layers': 2,
  'model.feedForwardSize': 96,
  'sft.stepsMax': 100,
  'sampling.maxTokens': 32,
  'retrain.everyRounds': 0,
});

it('has commands that do what it says', { timeout: 1_200_000 }, async () => {
  const page = await readFile(join(REPOSITORY, 'docs', 'lean-core.md'), 'utf8');
  const [prepare, keep, play] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!.trim());
  const stp = (command: string) =>
    execa('sh', ['-c', command.replace('bin/stp', join(REPOSITORY, 'bin', 'stp'))], {
      cwd: folder,
      env: { STP_DATA: join(folder, 'data') },
    });
  expect((await stp(prepare!)).stdout).toMatch(/9[5-9]\.\d % of \d+ eligible|100\.0 % of \d+ eligible/u);
  await stp(`${play!} --run-dir ${join(folder, 'run')} ${SMALL.map((word) => `'${word}'`).join(' ')}`);
  const summary = summarySchema.parse(JSON.parse(await readFile(join(folder, 'run', 'summary.json'), 'utf8')));
  expect(summary.statements).toBe(12);
  expect(summary.rounds.at(-1)!.provedEver).toBeGreaterThan(0);
  const ofTheRun = keep!.replace('runs/NAME', join(folder, 'run')).replace('library-2', 'library-1');
  await stp(ofTheRun);
  const weights = await readFile(join(folder, 'data', 'rankers', 'mine.bin'));
  expect(ActionRanker.of(weights).weights()).toEqual(new Uint8Array(weights));
  // All that counts was judged by our own kernel too.
  expect(summary.secondKernel).toMatchObject({ declined: 0, none: 0, disagreed: 0 });
});
