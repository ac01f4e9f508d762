/**
 * Tests `bin/stp report` as a person runs it: its output folder, its messages, and that it does not change the run.
 * Some 5 s.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stp } from '../support/stp.ts';
import { makeRun } from './synthetic-run.ts';

const report = (...words: string[]) => stp(['report', ...words]);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-report-command-'));
  const round = { samples: 2, shards: [{ 0: 1 }] };
  for (const seed of [1, 2])
    await makeRun(join(directory, `run-${seed}`), { statements: ['theorem a : 1 = 1'], seed, rounds: [round] });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('writes beside the run and changes nothing in it', async () => {
  const before = (await readdir(join(directory, 'run-1'), { recursive: true })).sort();
  const { exitCode, stdout } = await report(join(directory, 'run-1'));
  expect([exitCode, stdout]).toEqual([0, join(directory, 'run-1-report', 'report.html')]);
  expect((await readdir(join(directory, 'run-1'), { recursive: true })).sort()).toEqual(before);
  expect(await readdir(join(directory, 'run-1-report'))).toEqual(['report', 'report.html']);
});

it('compares runs where it is told to', async () => {
  const out = join(directory, 'compared');
  const { exitCode } = await report(join(directory, 'run-1'), '--compare', join(directory, 'run-2'), '--out', out);
  expect(exitCode).toBe(0);
  const lines = (await readFile(join(out, 'report', 'progress.csv'), 'utf8')).trimEnd().split('\r\n');
  expect(lines.filter((line) => line.startsWith('run-2,')).length).toBe(2);
});

it('says what is wrong where no run is', async () => {
  const { exitCode, stderr } = await report(join(directory, 'nothing'));
  expect(exitCode).toBe(1);
  expect(stderr).toContain('STP1403');
  expect(stderr).toContain('holds no run with anything to report yet');
});
