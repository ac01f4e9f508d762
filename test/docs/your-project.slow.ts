/**
 * The guide for a project of one's own, from the first command to the last, on a copy of the example: some minutes of a
 * core, because one command is a whole run.
 *
 * @module-tag slow
 */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreEnvironment } from '@stp/lean-verifier/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { settings } from '../support/stp.ts';
import { REPOSITORY } from './guides.ts';

const { executable } = await coreEnvironment();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-guide-'));
  const filter = (path: string): boolean => !path.endsWith('.lake');
  await cp(join(REPOSITORY, 'examples'), join(folder, 'examples'), { recursive: true, filter });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** So that the run takes a minute or two. */
const SMALL = settings({
  'model.hiddenSize': 48,
  'model.layers': 2,
  'model.feedForwardSize': 96,
  'sft.stepsMax': 150,
  'sampling.samplesPerStatement': 4,
  'sampling.statementsPerShard': 8,
  'sampling.maxTokens': 32,
  'conjectures.perRoundMax': 6,
  'retrain.everyRounds': 0,
  'evaluation.samplesPerStatement': 2,
});

it('has commands that do what it says', { timeout: 1_800_000 }, async () => {
  const page = await readFile(join(REPOSITORY, 'docs', 'your-project.md'), 'utf8');
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!.trim());
  expect(commands).toHaveLength(6);
  const done: string[] = [];
  for (const command of commands) {
    const words = command.includes('suggest lsp')
      ? // An editor would speak to it; here it only has to know its options.
        command.replace(/ -- .*$/u, ' --help')
      : command.includes('selfplay')
        ? `${command} ${SMALL.map((word) => `'${word}'`).join(' ')}`
        : command;
    const { exitCode, all } = await execa('sh', ['-c', words.replaceAll('bin/stp', join(REPOSITORY, 'bin', 'stp'))], {
      cwd: folder,
      env: { LEAN: executable, STP_DATA: join(folder, 'data') },
      all: true,
      reject: false,
    });
    expect([command, exitCode, exitCode === 0 ? '' : all]).toEqual([command, 0, '']);
    done.push(all);
  }
  expect(done[1]).toMatch(/100\.0 % of 40 eligible theorems/u);
  expect(done[3]).toMatch(/proved/u);
});
