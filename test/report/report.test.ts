/**
 * Tests reports over runs with known numbers: the contents of the CSV files, and a complete page. Some 5 s of drawing.
 */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { statementId } from '@stp/config/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunFigures } from '../../activities/report/figures.ts';
import { gatherRun } from '../../activities/report/gather.ts';
import { makeReport, type ReportFile } from '../../activities/report/make-report.ts';
import { openRun } from '../../activities/report/open-run.ts';
import { summaryRows } from '../../activities/report/summary.ts';
import { CHECK_MS, makeRun, type SyntheticRun } from './synthetic-run.ts';
import { firstFlaw } from './well-formed.ts';

const STATEMENTS = [
  'theorem add_zero_left (n : Nat) : 0 + n = n',
  'theorem mul_one_right (n : Nat) : n * 1 = n',
  'theorem sub_self_zero (n : Nat) : n - n = 0',
  'theorem hard_one (a b : Nat) : a ^ b = b ^ a',
];
/** Baseline: one of four. Round 1: another, and two of three conjectures, one of them a renamed dataset statement. */
const KNOWN: SyntheticRun = {
  statements: STATEMENTS,
  rounds: [
    {
      samples: 4,
      shards: [
        { 0: 4, 1: 0 },
        { 2: 0, 3: 0 },
      ],
    },
    {
      samples: 4,
      shards: [{ 1: 1, 2: 0 }, { 3: 0 }],
      conjectures: [
        { statement: 'theorem conjecture_1_a (m : Nat) : m * 1 = m', successes: 4 },
        {
          statement: 'theorem conjecture_1_b (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length',
          successes: 1,
        },
        { statement: 'theorem conjecture_1_c (p q : Prop) : p ∨ q ↔ q ∨ p', successes: 0 },
      ],
      gate: { unparsable: 5, duplicate: 2, 'not-elaborating': 4, trivial: 3, refutable: 1 },
      infra: 2,
      kernelsDisagreed: 1,
    },
  ],
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-report-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function gather(name: string, spec: SyntheticRun): Promise<RunFigures> {
  const { uri } = await makeRun(join(directory, name), spec);
  return gatherRun({ ...(await openRun(uri)), losses: [] });
}
const reportOf = async (name: string, spec: SyntheticRun): Promise<ReportFile[]> =>
  makeReport([await gather(name, spec)]);
const pageOf = (files: readonly ReportFile[]): string => files.find(({ name }) => name === 'report.html')!.text;
const linesOf = (files: readonly ReportFile[], name: string): string[] =>
  files
    .find((file) => file.name === `report/${name}.csv`)!
    .text.trimEnd()
    .split('\r\n');

describe('the report of a run', () => {
  let files: ReportFile[];
  beforeAll(async () => {
    files = await reportOf('known', KNOWN);
  });

  it('follows the share of statements proved from shard to shard', () => {
    expect(linesOf(files, 'progress')).toEqual([
      'run,method,round,samples,share_proved',
      'known,smoke,0,0,0',
      'known,smoke,0,8,0.25',
      'known,smoke,0,16,0.25',
      // the first shard of round 1 has two statements and three conjectures
      'known,smoke,1,36,0.5',
      'known,smoke,1,40,0.5',
    ]);
  });
  it('counts conjectures step by step, with the reasons of the gate', () => {
    expect(linesOf(files, 'funnel')).toEqual([
      'round,texts_made,parsed,holds_on_tests,new,elaborates,passed_the_gate,attempted,proved,in_band,kept,matched,' +
        'refused_unparsable,refused_forbidden,refused_fails_tests,refused_follows,refused_duplicate,refused_not_elaborating,refused_trivial,refused_vacuous,refused_refutable,refused_over_cap',
      '1,18,13,13,11,7,3,3,2,1,2,2,5,0,0,0,2,4,3,0,1,0',
    ]);
  });
  it('sorts pass rates into bins that end in their upper bound, and those never proved apart', () => {
    const columns =
      'round,attempted,never,up_to_0.1,up_to_0.2,up_to_0.3,up_to_0.4,up_to_0.5,up_to_0.6,up_to_0.7,up_to_0.8,up_to_0.9,up_to_1';
    expect(linesOf(files, 'pass-rates-dataset')).toEqual([
      columns,
      '0,4,3,0,0,0,0,0,0,0,0,0,1',
      '1,3,2,0,0,1,0,0,0,0,0,0,0',
    ]);
    expect(linesOf(files, 'pass-rates-conjecture')).toEqual([columns, '1,3,1,0,0,1,0,0,0,0,0,0,1']);
  });
  it('adds up verdicts, time and cost', () => {
    expect(linesOf(files, 'verdicts')).toEqual([
      'round,verdict,samples',
      '0,proved,4',
      '0,rejected,12',
      '1,proved,6',
      '1,rejected,16',
      '1,infra,2',
    ]);
    expect(linesOf(files, 'stages')).toEqual([
      'round,stage,seconds',
      '0,prove,10',
      '0,train,5',
      '1,prove,10',
      '1,train,5',
    ]);
    expect(pageOf(files)).toContain(`${((CHECK_MS * 40) / 1_000).toFixed(1)} s`);
  });
  it('tells apart what scripts alone have proved', async () => {
    const figures = await gather('scripts', KNOWN);
    const skipped = { ...figures.summary.rounds[1]!, round: 2, skipped: true };
    const [first, second] = figures.summary.rounds.map((round, index) => ({
      ...round,
      provedByScripts: { statements: 17 + index, conjectures: 31 * index },
    }));
    const summary = { ...figures.summary, rounds: [first!, second!, skipped] };
    const page = (await makeReport([{ ...figures, summary }])).find(({ name }) => name.endsWith('.html'))!;
    expect(firstFlaw(page.text)).toBeNull();
    expect(page.text).toMatch(/Conjectures by scripts alone/u);
    expect(page.text).toMatch(/>baseline<\/th>(?:<td[^>]*>\d+<\/td>){2}<td[^>]*>17<\/td><td[^>]*>0<\/td>/u);
    expect(page.text).toMatch(/>1<\/th>(?:<td[^>]*>\d+<\/td>){2}<td[^>]*>18<\/td><td[^>]*>31<\/td>/u);
    const plain = (await makeReport([figures])).find(({ name }) => name.endsWith('.html'))!;
    expect(plain.text).not.toContain('by scripts alone');
    expect(plain.text).not.toContain('By samples only');
  });
  it('says what samples proved, what scripts did, and what both did in different rounds', async () => {
    const [baseline, next] = KNOWN.rounds;
    const again = { samples: 4, shards: [{ 0: 1, 2: 1 }], provedBy: 'scripts' };
    const figures = await gather('found-by', { ...KNOWN, rounds: [baseline!, next!, again] });
    expect(figures.foundBy).toEqual({
      dataset: { samplesOnly: 1, scriptsOnly: 1, both: 1 },
      conjecture: { samplesOnly: 2, scriptsOnly: 0, both: 0 },
    });
    const rounds = figures.summary.rounds.map((one) => ({
      ...one,
      provedByScripts: { statements: 0, conjectures: 0 },
    }));
    const files = await makeReport([{ ...figures, summary: { ...figures.summary, rounds } }]);
    expect(pageOf(files)).toMatch(/>statements<\/th><td[^>]*>1<\/td><td[^>]*>1<\/td><td[^>]*>1<\/td>/u);
  });
  it('says nothing of scripts that were not tried, and how many statements they were tried on', async () => {
    const figures = await gather('untried', KNOWN);
    const shown = async (untried: number) => {
      const part = { proved: 4 - untried, statements: 4, untried, bySet: {} };
      const summary = { ...figures.summary, portfolio: { ...part, heldOut: part, recordedWith: null } };
      const row = summaryRows(summary).find(([name]) => name === 'scripts alone')![1];
      return [row, pageOf(await makeReport([{ ...figures, summary }]))] as const;
    };
    const [none, without] = await shown(4);
    expect(none).toBe('not tried');
    expect(without).not.toContain('fixed list of scripts</th>');
    const [some, with_] = await shown(1);
    expect(some).toBe('3 (100.0 %) of 3 tried, 1 not tried; held-out 3 of 3 tried, 1 not tried');
    expect(with_).toMatch(/>fixed list of scripts<\/th><td[^>]*>–<\/td><td[^>]*>3<\/td><td[^>]*>3 \(100\.0 %\)/u);
  });
  it('tells what training adds on held-out statements from what the lemmas add', async () => {
    const evaluation = {
      statements: 10,
      samplesPerStatement: 2,
      provedFirst: 4,
      provedFirstWithLemmas: 6,
      provedLast: 7,
      passAtK: { first: [], last: [] },
    };
    const gathered = await gather('what-training-adds', KNOWN);
    const figures = { ...gathered, evaluation, summary: { ...gathered.summary, heldOut: evaluation } };
    const rows = Object.fromEntries(summaryRows(figures.summary));
    expect(rows['held-out']).toBe('4 → 7 of 10 proved (SFT model → last model, 2 samples each)');
    expect(rows['held-out, SFT model']).toBe('6 proved with the lemmas that the last model has');
    expect(pageOf(await makeReport([figures]))).toMatch(
      />SFT model, with the run’s lemmas<\/th><td[^>]*>2<\/td><td[^>]*>10<\/td><td[^>]*>6 \(60\.0 %\)/u,
    );
  });
  it('counts the proofs that two kernels have checked', async () => {
    const figures = await gather('second-kernel', KNOWN);
    expect(figures.rounds.map(({ secondKernel }) => secondKernel)).toEqual([
      { accepted: 1, declined: 0, none: 0 },
      { accepted: 1, declined: 0, none: 2 },
    ]);
    const page = (await makeReport([figures])).find(({ name }) => name.endsWith('.html'))!;
    expect(page.text).toContain('Checked twice, by Lean’s kernel and by ours: 2 of 4 certified proofs');
    expect(page.text).toContain('They disagree on 1, not certified');
    expect(figures.summary.secondKernel).toEqual({ accepted: 2, declined: 0, none: 2, disagreed: 1 });
    expect(summaryRows(figures.summary)).toContainEqual([
      'checked twice',
      '2 of 4 certified proofs; THE KERNELS DISAGREE ON 1',
    ]);
  });

  it('lists what the SFT model did not prove and the hardest, each once, with certificates', () => {
    const page = pageOf(files);
    const theorems = page.slice(page.indexOf('id="theorems"'), page.indexOf('id="failures"'));
    expect([...theorems.matchAll(/<h4>([^<]+)<\/h4>/g)].map((match) => match[1])).toEqual([
      'mul_one_right',
      'conjecture_1_b',
      'conjecture_1_a',
    ]);
    expect(theorems).toContain('Certified by Lean 4.test (test): axioms propext; file hash aaaaaaaaaaaa');
  });
  it('says what was lost', () => {
    expect(pageOf(files)).toMatch(/<th scope="row">1<\/th><td class="number">2<\/td>/);
  });
  it('is one well-formed page that runs and fetches nothing, and links its own CSV files only', () => {
    const page = pageOf(files);
    expect(firstFlaw(page)).toBeNull();
    expect(page).not.toMatch(/<script|<iframe|<link|<img|@import|url\(|https?:|javascript:| on\w+="/i);
    const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]!);
    for (const link of links.filter((target) => target.startsWith('#')))
      expect(page).toContain(`id="${link.slice(1)}"`);
    const names = links.filter((target) => !target.startsWith('#'));
    expect(names.toSorted()).toEqual(
      files
        .map(({ name }) => name)
        .filter((name) => name !== 'report.html')
        .sort(),
    );
  });
  it('gives every picture a title', () => {
    const svgs = pageOf(files).match(/<svg [^>]*>(?:<title>[^<]+<\/title>)?/g)!;
    expect(svgs.length).toBe(files.length - 1);
    for (const svg of svgs) expect(svg).toMatch(/role="img".*<title>[^<]+<\/title>$/);
  });
});

describe('runs that are out of the ordinary', () => {
  it('of one round, without any conjecture', async () => {
    const files = await reportOf('single', { statements: STATEMENTS, rounds: [KNOWN.rounds[0]!] });
    expect(firstFlaw(pageOf(files))).toBeNull();
    expect(pageOf(files)).toContain('No conjecture was made');
    expect(files.map(({ name }) => name)).not.toContain('report/funnel.csv');
  });
  it('before any round is done', async () => {
    const files = await reportOf('young', { statements: STATEMENTS, rounds: [null] });
    expect(firstFlaw(pageOf(files))).toBeNull();
    expect(pageOf(files)).toContain('not finished');
  });
  it('with a round whose texts all went no further', async () => {
    const silent = { samples: 4, shards: [{ 3: 0 }], gate: { unparsable: 4 } };
    const files = await reportOf('silent', { statements: STATEMENTS, rounds: [...KNOWN.rounds, silent] });
    expect(linesOf(files, 'conjecture-shares')).toEqual([
      'round,share_of,share',
      `1,attempted,${3 / 18}`,
      `1,proved,${2 / 3}`,
      '1,in band,0.5',
      // a share of nothing is no number
      '2,attempted,0',
    ]);
  });
  it('with a round that failed and was given up', async () => {
    const files = await reportOf('skipped', {
      statements: STATEMENTS,
      rounds: [KNOWN.rounds[0]!, null, KNOWN.rounds[1]!],
      failures: [
        { round: 1, message: 'STP1702: no verdict <here> & there', decision: 'retry' },
        { round: 1, message: 'STP1702 again', decision: 'skip' },
      ],
    });
    const page = pageOf(files);
    expect(firstFlaw(page)).toBeNull();
    expect(page).toContain('STP1702: no verdict &lt;here&gt; &amp; there');
    expect(page).toContain('given up');
    expect(page).toMatch(/<th scope="row">1, skipped<\/th>/);
    expect(linesOf(files, 'progress').at(-1)).toBe('skipped,smoke,2,40,0.5');
  });
  it('with huge texts and texts that look like markup', async () => {
    const long = `theorem long (n : Nat) : ${'n + '.repeat(1_900)}0 = n`;
    const files = await reportOf('hostile', {
      statements: [long, 'theorem h (n : Nat) : n < 3 → "</code><script>alert(1)</script>" = "&amp;"'],
      rounds: [
        { samples: 2, shards: [{ 0: 0, 1: 0 }] },
        { samples: 2, shards: [{ 0: 1, 1: 1 }], proof: `exact ${'(f x) '.repeat(2_000)}\u0000\u0007\ud800` },
      ],
    });
    const page = pageOf(files);
    expect(firstFlaw(page)).toBeNull();
    expect(page).not.toContain('<script');
    expect(page).toContain('characters more');
    expect(page.length).toBeLessThan(400_000);
  });
  it('moved to another folder with all it refers to', async () => {
    await makeRun(join(directory, 'there', 'moving'), KNOWN);
    await rename(join(directory, 'there'), join(directory, 'elsewhere'));
    const source = await openRun(pathToFileURL(join(directory, 'elsewhere', 'moving')).href);
    const figures = await gatherRun({ ...source, losses: [] });
    expect(figures.progress.at(-1)).toEqual({ samples: 40, proved: 2, round: 1 });
  });
  it('renamed, alone or copied beside what it refers to', async () => {
    await makeRun(join(directory, 'first', 'old'), KNOWN);
    await rename(join(directory, 'first', 'old'), join(directory, 'first', 'new'));
    for (const folder of ['first', 'copied']) {
      const source = await openRun(pathToFileURL(join(directory, folder, 'new')).href);
      const figures = await gatherRun({ ...source, losses: [] });
      expect([figures.run, figures.progress.at(-1)]).toEqual(['new', { samples: 40, proved: 2, round: 1 }]);
      if (folder === 'first') await rename(join(directory, 'first'), join(directory, 'copied'));
    }
  });
  it('whose model trained one step draw no curve of its loss', async () => {
    await makeRun(join(directory, 'untrained'), KNOWN);
    const source = await openRun(pathToFileURL(join(directory, 'untrained')).href);
    const pageOf = async (...steps: readonly number[]): Promise<string> => {
      const losses = steps.map((step) => ({ stage: 'sft', step, loss: 7 - step }));
      const [page] = await makeReport([await gatherRun({ ...source, losses })]);
      return page!.text;
    };
    expect(await pageOf(1)).not.toMatch(/NaN|Training loss/u);
    expect(await pageOf(1, 2)).toContain('Training loss');
  });
  it('that is no run at all', async () => {
    await expect(openRun(pathToFileURL(join(directory, 'nothing')).href)).rejects.toMatchObject({ code: 'STP1403' });
  });
  it('with a library that grows counts the proofs that stand on it', async () => {
    const text = 'theorem conjecture_1_d (a b : Nat) : a + b = b + a';
    const theorem = { round: 1, statementId: 's', header: null, statement: text, proof: 'omega', premises: [] };
    const spec: SyntheticRun = {
      set: { library: 'grow' },
      statements: STATEMENTS,
      rounds: [
        { samples: 2, shards: [{ 0: 1 }] },
        { samples: 2, shards: [{ 1: 1 }], conjectures: [{ statement: text, successes: 1 }] },
        {
          samples: 2,
          shards: [{ 2: 1, 3: 0 }],
          grown: [{ ...theorem, generation: 1, name: 'Grown.g1', origin: 'conjecture', marks: [] }],
          restsOn: ['Grown.g1'],
        },
      ],
    };
    const figures = await gather('grows', spec);
    const used = { name: 'Grown.g1', round: 1, statement: text, proofs: 1, statements: 1 };
    expect(figures.lemmas).toMatchObject({
      conjecturesUsed: 1,
      statementsUsed: 0,
      listed: [{ ...used, example: expect.any(String) }],
    });
    expect(figures.rounds[1]!.functionSets).toEqual({ attempted: 1, proved: 1 });
    expect(figures.rounds.map(({ chain, firstProved }) => [chain, firstProved])).toEqual([
      [0, { statements: 1, onConjectures: 0 }],
      [0, { statements: 1, onConjectures: 0 }],
      [1, { statements: 1, onConjectures: 1 }],
    ]);
    const [page] = await makeReport([figures]);
    expect(page!.text).toContain('Function sets');
    expect(page!.text).toContain('1 conjectures and 0 statements of the dataset carry them');
    expect(page!.text).toContain('(a b : Nat) : a + b = b + a');
    const fixed = await gather('fixed', { ...spec, set: {}, rounds: [KNOWN.rounds[0]!] });
    expect(linesOf(await makeReport([figures, fixed]), 'library')).toEqual([
      'run,round,theorems_added,proofs_that_use_one',
      'grows,0,0,0',
      'grows,1,0,0',
      'grows,2,1,1',
      'fixed,0,0,0',
    ]);
  });
  it('says who chose conjectures, and on how many of each later proofs rest', async () => {
    const found = { statements: 2, isCore: false };
    const texts = ['a + b = b + a', 'a * b = b * a', 'a + 0 = a', 'a - a = 0'].map(
      (text, at) => `theorem c${at} (a b : Nat) : ${text}`,
    );
    const attempted = [
      { statement: texts[0]!, successes: 1, found },
      { statement: texts[1]!, successes: 1, found, chosenBy: 'ranked' },
      { statement: texts[2]!, successes: 0, chosenBy: 'written' },
    ] as const;
    const figures = await gather('chosen', {
      set: { library: 'grow' },
      statements: STATEMENTS,
      rounds: [
        { samples: 2, shards: [{ 0: 1 }] },
        { samples: 2, shards: [{ 1: 1 }], conjectures: attempted, ranker: { examples: 30, paying: 0 } },
        {
          ...{ samples: 2, shards: [{ 2: 1, 3: 0 }], ranker: { examples: 33, paying: 4 } },
          // One is tried again, and counts where it was attempted first.
          conjectures: [{ statement: texts[2]!, successes: 0, found, chosenBy: 'order' }],
          grown: texts.slice(0, 2).map((statement, at) => ({
            ...{ name: `Grown.g${at + 1}`, round: 1, generation: 1, header: null, statement, proof: 'omega' },
            ...{ statementId: statementId(null, statement), origin: 'conjecture' as const, premises: [], marks: [] },
          })),
          restsOn: ['Grown.g2'],
        },
      ],
    });
    expect(figures.summary.conjectures.by).toEqual({
      order: { attempted: 1, proved: 1, used: 0 },
      ranked: { attempted: 1, proved: 1, used: 1 },
      written: { attempted: 1, proved: 0, used: 0 },
    });
    const [page] = await makeReport([figures]);
    expect(page!.text).toContain('written by the model');
    expect(page!.text).toContain(
      'Round 1: the ranker had 30 examples and could learn nothing from them, so exploration’s order stood',
    );
    expect(page!.text).toContain('Round 2: the ranker learned from 33 examples, 4 of which paid');
  });

  it('counts chains through conjectures that the same round proved', async () => {
    const [first, second] = ['theorem c_1 (a b : Nat) : a + b = b + a', 'theorem c_2 (a : Nat) : a * 0 = 0'];
    const grown = (text: string, generation: number) => ({
      ...{ name: `Grown.g${generation}`, round: generation, generation, origin: 'conjecture' as const, marks: [] },
      ...{ statementId: statementId(null, text), header: null, statement: text, proof: 'simp', premises: [] },
    });
    const figures = await gather('chains', {
      set: { library: 'grow' },
      statements: STATEMENTS,
      rounds: [
        { samples: 2, shards: [{ 0: 1 }] },
        {
          ...{ samples: 2, shards: [{ 1: 1 }], conjectures: [{ statement: first!, successes: 1 }] },
          ...{ grown: [grown(first!, 1)], restsOn: ['Grown.g1'] },
        },
        {
          ...{ samples: 2, shards: [{ 2: 1 }], conjectures: [{ statement: second!, successes: 1 }] },
          ...{ grown: [grown(first!, 1), grown(second!, 2)], conjecturesRestOn: ['Grown.g1'], restsOn: ['Grown.g2'] },
        },
      ],
    });
    expect(figures.rounds.map(({ chain }) => chain)).toEqual([0, 1, 2]);
    expect(figures.rounds.map(({ firstProved }) => firstProved.onConjectures)).toEqual([0, 1, 1]);
  });
});

describe('several runs side by side', () => {
  it('puts seeds of one configuration together, with mean and range', async () => {
    const round = (proved: Record<number, number>) => ({ samples: 4, shards: [proved] });
    const runs = [
      await gather('seed-1', {
        statements: STATEMENTS,
        seed: 1,
        rounds: [round({ 0: 1, 1: 0 }), round({ 1: 1, 2: 0 })],
      }),
      await gather('seed-2', {
        statements: STATEMENTS,
        seed: 2,
        rounds: [round({ 0: 1, 1: 1 }), round({ 2: 1, 3: 1 })],
      }),
      await gather('baseline', {
        statements: STATEMENTS,
        set: { 'conjectures.source': 'none' },
        rounds: [round({ 0: 0, 1: 0 })],
      }),
    ] as const;
    const files = await makeReport([...runs]);
    const page = pageOf(files);
    expect(firstFlaw(page)).toBeNull();
    const methods = linesOf(files, 'progress')
      .slice(1)
      .map((line) => line.replace(/"([^"]*)"/, (_, text) => text.replaceAll(',', ';')).split(',')[1]);
    expect(new Set(methods)).toEqual(new Set(['smoke (mean of 2 seeds)', 'smoke; source none']));
    expect(page).toContain('Runs compared');
    // at the 8 samples that all three reached: one, two and none of four
    expect([...page.matchAll(/<td class="number">([\d.]+) %<\/td>/g)].map((match) => match[1])).toEqual([
      '25.0',
      '50.0',
      '0.0',
    ]);
  });
});
