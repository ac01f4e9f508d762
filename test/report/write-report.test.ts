/** The report that a run writes at its end, with a checker that answers as told. Some 2 s of drawing. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Evaluation, type MachineTime, summarySchema } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeReportActivity } from '../../activities/host/write-report.ts';
import { writeProofsActivity } from '../../activities/lean/write-proofs.ts';
import { gatherRun } from '../../activities/report/gather.ts';
import { makeReport } from '../../activities/report/make-report.ts';
import { openRun } from '../../activities/report/open-run.ts';
import type { Metric, Monitor, RunEnd } from '../../infra/monitor/monitor.ts';
import { keepLink, linkName } from '../../infra/monitor/trackers/tracker.ts';
import { fileReport, leanOfVersion } from '../support/stand-ins.ts';
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

/** Metrics that trackers were given. */
const logged: Metric[] = [];
const ends: RunEnd[] = [];
const monitor: Monitor = {
  log: async (metrics) => void logged.push(...metrics),
  conclude: async (end) => void ends.push(end),
  finalise: async () => undefined,
};

const HOUR_MS = 3_600_000;
/** Two machines for an hour before the rounds, half an hour a round, a quarter after them. */
const machineTime: MachineTime[] = (
  [
    ['start', 1],
    [0, 1.5],
    [1, 2],
    ['report', 2.25],
  ] as const
).map(([until, hours]) => ({ until, atMs: 1, setMs: hours * HOUR_MS, machineMs: 2 * hours * HOUR_MS }));
const EVALUATION: Evaluation = {
  ...{ statements: 4, samplesPerStatement: 2, provedFirst: 1, provedLast: 3 },
  passAtK: { first: [], last: [] },
};

/** Files that Lean was asked about. */
let asked = 0;
const portsOf = (verdict: 'accepted' | 'rejected') => ({
  monitor: async () => monitor,
  store: async () => made.store,
  scratch: async () => directory,
  losses: async () => LOSSES,
  sandbox: async () => ({ kind: 'none' as const, description: 'this is a test' }),
  verifier: async () => ({ environment: leanOfVersion('Lean 4.test') }),
  sources: { modules: async () => [] },
  checkFile: async (_run: string, path: string) => {
    asked += 1;
    const names = [...(await readFile(path, 'utf8')).matchAll(/^theorem (\S+)/gm)].map((match) => `Kept.${match[1]}`);
    const theorems = names.map((name) => ({ name, verdict, line: 1, column: 0, message: 'as told', axioms: [] }));
    return fileReport(path, { theorems });
  },
});
const write = (verdict: 'accepted' | 'rejected') => {
  const { writeReport } = writeReportActivity(portsOf(verdict));
  const nodes = { provider: 'local', pricePerHour: 8 } as const;
  const state = { ...made.state, machineTime, config: { ...made.state.config, nodes } };
  return new MockActivityEnvironment().run(writeReport, { run: 'run', state, evaluation: EVALUATION });
};
const read = async (name: string): Promise<string> =>
  (await made.store.get((await made.store.stat(name))!)).toString('utf8');

it('writes nothing when its proofs do not hold in one file', async () => {
  await expect(write('rejected')).rejects.toMatchObject({ code: 'STP1203' });
  for (const name of ['proofs.lean', 'summary.json', 'report.html', 'reported.json'])
    expect(await made.store.stat(name)).toBeNull();
});

it('writes summary, proofs, page and tables, the same ones when it is done again, over proofs that were written before', async () => {
  asked = 0;
  const ahead = { run: 'run', state: made.state };
  await new MockActivityEnvironment().run(writeProofsActivity(portsOf('accepted')).writeProofs, ahead);
  expect(await made.store.stat('proofs.lean')).not.toBeNull();
  const result = await write('accepted');
  expect(asked).toBe(1);
  // as after a crash just before the end: every object must come out the same, byte for byte
  await rm(join(directory, 'run', 'reported.json'));
  await rm(join(directory, 'run', '.stp', 'marks', 'reported.json'), { recursive: true });
  // A tracker that answers only now changes nothing.
  const link = { tracker: 'mlflow', url: 'http://mlflow/#/late', text: 'MLflow', id: '1' } as const;
  await keepLink(made.store, linkName('mlflow', 'late'), link);
  expect(await write('accepted')).toEqual(result);
  const summary = summarySchema.parse(JSON.parse(await read('summary.json')));
  expect(summary).toMatchObject({
    provedBaseline: 1,
    provedPerRound: [2],
    proofsInFile: 3,
    leanVersion: 'Lean 4.test',
    cost: {
      machines: 'this machine',
      lines: [
        { until: 'start', machineHours: 2, usd: 8, tokens: 0 },
        { until: 0, machineHours: 1, usd: 4 },
        { until: 1, machineHours: 1, usd: 4 },
        { until: 'report', machineHours: 0.5, usd: 2 },
      ],
      machineHours: 4.5,
      usd: 18,
    },
  });
  expect(logged).toEqual(
    expect.arrayContaining([
      { name: 'round/held_out_proved', step: 0, value: 1 },
      { name: 'round/held_out_proved', step: 1, value: 3 },
    ]),
  );
  expect(ends.at(-1)).toEqual({
    status: 'finished',
    objects: expect.arrayContaining(['summary.json', 'proofs.lean', 'report.html', 'report/loss.csv', 'config.json']),
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
  expect(source.tracking).toHaveLength(1);
  const [late] = await makeReport([await gatherRun({ ...source, losses: LOSSES })]);
  expect(late!.text).toContain('<a href="http://mlflow/#/late">MLflow</a>');
  const config = { ...source.state.config, nodes: { provider: 'local', pricePerHour: 8 } as const };
  const same = { ...source, state: { ...source.state, config }, tracking: [], losses: LOSSES };
  const [page] = await makeReport([await gatherRun(same)]);
  expect(page!.text).toBe(await read('report.html'));
});
