/** The report that a run writes at its end, with a checker that answers as told. Some 2 s of drawing. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Ports } from '../../activities/ports.ts';
import { gatherRun } from '../../activities/report/gather.ts';
import { makeReport } from '../../activities/report/make-report.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { reportActivities } from '../../activities/report/report.ts';
import { summarySchema } from '../../data/schemas/round.ts';
import { type MadeRun, makeRun } from './synthetic-run.ts';
import { firstFlaw } from './well-formed.ts';

const LOSSES = [2.5, 1.5, Number.NaN, 1.25].map((loss, step) => ({ stage: 'sft', step, loss }));
let directory: string;
let made: MadeRun;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-write-report-'));
  made = await makeRun(join(directory, 'run'), {
    statements: ['theorem a (n : Nat) : n + 0 = n', 'theorem b (n : Nat) : 0 + n = n'],
    rounds: [
      { samples: 2, shards: [{ 0: 2, 1: 0 }] },
      { samples: 2, shards: [{ 1: 1 }], conjectures: [{ statement: 'theorem c (n : Nat) : n * 0 = 0', successes: 1 }] },
    ],
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const write = (verdict: 'accepted' | 'rejected') => {
  const ports = {
    store: async () => made.store,
    scratch: async () => directory,
    losses: async () => LOSSES,
    sandbox: async () => ({ kind: 'none', description: 'this is a test' }),
    verifier: async () => ({ environment: { version: 'Lean 4.test' } }),
    sources: { modules: async () => [] },
    checkFile: async (_run: string, path: string) => {
      const names = [...(await readFile(path, 'utf8')).matchAll(/^theorem (\S+)/gm)].map((match) => `Kept.${match[1]}`);
      const theorems = names.map((name) => ({ name, verdict, line: 1, column: 0, message: 'as told', axioms: [] }));
      return { path, theorems, messages: [], reason: '' };
    },
  } as unknown as Ports;
  const { writeReport } = reportActivities(ports);
  return new MockActivityEnvironment().run(writeReport, { run: 'run', state: made.state, evaluation: null });
};
const read = async (name: string): Promise<string> =>
  (await made.store.get((await made.store.stat(name))!)).toString('utf8');

it('writes nothing when its proofs do not hold in one file', async () => {
  await expect(write('rejected')).rejects.toMatchObject({ code: 'STP1203' });
  for (const name of ['proofs.lean', 'summary.json', 'report.html', 'reported.json'])
    expect(await made.store.stat(name)).toBeNull();
});

it('writes summary, proofs, page and tables, the same ones when it is done again', async () => {
  const result = await write('accepted');
  // as after a crash just before the end: every object must come out the same, byte for byte
  await rm(join(directory, 'run', 'reported.json'));
  await rm(join(directory, 'run', '.stp', 'marks', 'reported.json'), { recursive: true });
  expect(await write('accepted')).toEqual(result);
  const summary = summarySchema.parse(JSON.parse(await read('summary.json')));
  expect(summary).toMatchObject({
    provedBaseline: 1,
    provedPerRound: [2],
    proofsInFile: 3,
    leanVersion: 'Lean 4.test',
  });
  const page = await read('report.html');
  expect(firstFlaw(page)).toBeNull();
  for (const [, link] of page.matchAll(/href="(report\/[^"]+)"/g))
    expect(await made.store.stat(link!), link).not.toBeNull();
  expect(await read('report/loss.csv')).toBe('training,step,loss\r\nsft,0,2.5\r\nsft,1,1.5\r\nsft,3,1.25\r\n');
});

it('is what the command makes of the finished run', async () => {
  const source = await openRun(made.uri);
  expect(source.finished).toBe(true);
  const [page] = await makeReport([await gatherRun({ ...source, losses: LOSSES })]);
  expect(page!.text).toBe(await read('report.html'));
});
