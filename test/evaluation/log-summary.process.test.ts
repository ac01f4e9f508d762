/** Logs in STP's format, read back: estimates, refusals, damage, and memory. Costs about 10 s. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readStatements } from '@stp/datasets';
import { PROBLEMS_DIRECTORY } from '@stp/datasets/testing';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LogSummaryOptions, statementText, summariseLog } from '../../activities/evaluation/log-summary.ts';
import { stp } from '../support/stp.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-log-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const formal = (name: string): string => `theorem ${name} (n : ℕ) :\n  n + 0 = n := by`;

/** A record as STP writes it, with more keys than we read. */
function record(name: string, iter: number, complete: boolean, more: object = {}): object {
  return {
    statement: formal(name),
    proof: '\n  simp',
    header: null,
    label: ['miniF2F test', null],
    lemma_id: 3,
    matching_weight: 3200,
    iter,
    multiplicity: 1,
    pass: complete,
    complete,
    sorries: [],
    errors: [],
    system_messages: '',
    system_errors: null,
    invokes: [],
    verified_code: '',
    verify_time: 1.5,
    ...more,
  };
}

const lines = (records: readonly object[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

let files = 0;
async function logFile(content: string | Buffer): Promise<string> {
  const path = join(directory, `log-${files++}.jsonl.gz`);
  await writeFile(path, content);
  return path;
}

const summary = (path: string, more: Partial<LogSummaryOptions> = {}) =>
  summariseLog({
    path,
    splits: [
      { name: 'miniF2F valid', texts: new Set([statementText(formal('a'))!]) },
      { name: 'miniF2F test', texts: new Set([statementText(formal('b'))!, statementText(formal('c'))!]) },
    ],
    samples: null,
    shortBlock: 'drop',
    seed: 1,
    ...more,
  });

/** Eight samples: a is proved by sample 0 alone, b by all, c by none; another split's statement stands between. */
const RECORDS = Array.from({ length: 8 }, (_, iter) => [
  record('c', iter, false),
  record('b', iter, true),
  record('x', iter, true, { label: ['Proofnet test'] }),
  record('a', iter, iter === 0),
]).flat();

describe('a summary', () => {
  it('gives both estimators in per cent for each split, in any order of the records', async () => {
    const [valid, test] = await summary(await logFile(gzipSync(lines(RECORDS.toReversed()))));
    expect(valid!.block).toEqual([
      [1, 12.5, Math.sqrt(0.125 * 0.875) * 100],
      [2, 25, Math.sqrt(0.25 * 0.75) * 100],
      [4, 50, null],
      [8, 100, null],
    ]);
    expect(test!.block.map(([k, mean, deviation]) => [k, mean, deviation])).toEqual([
      [1, 50, 0],
      [2, 50, 0],
      [4, 50, null],
      [8, 50, null],
    ]);
    expect(valid!.unbiased.map(([k, mean]) => [k, mean])).toEqual([
      [1, 12.5],
      [2, 25],
      [4, 50],
      [8, 100],
    ]);
  });
  it('reads gzip in several members, as parallel writers make it, and plain text', async () => {
    const half = RECORDS.length / 2;
    const members = Buffer.concat([gzipSync(lines(RECORDS.slice(0, half))), gzipSync(lines(RECORDS.slice(half)))]);
    const plain = await summary(await logFile(lines(RECORDS)));
    expect(await summary(await logFile(members))).toEqual(plain);
  });
  it('counts the first samples alone when told how many', async () => {
    const [valid] = await summary(await logFile(lines(RECORDS)), { samples: 2 });
    expect(valid!.block.map(([k, mean]) => [k, mean])).toEqual([
      [1, 50],
      [2, 100],
    ]);
  });
  it('counts a record that comes twice once, proved if either is', async () => {
    const [valid] = await summary(await logFile(lines([...RECORDS, record('a', 1, true), record('a', 0, false)])));
    expect(valid!.block[0]!.slice(0, 2)).toEqual([1, 25]);
  });
});

it('cannot be made of a folder', async () => {
  await expect(summary(directory)).rejects.toMatchObject({ code: 'STP1405' });
});

describe('a summary is refused', () => {
  const rejects = (path: Promise<string>, more: Partial<LogSummaryOptions> = {}) =>
    expect(path.then((log) => summary(log, more))).rejects;

  it('when a statement of a split is not in the log', async () => {
    const without = RECORDS.filter((one) => !JSON.stringify(one).includes('theorem c'));
    await rejects(logFile(lines(without))).toMatchObject({
      code: 'STP1502',
      message: expect.stringContaining(
        '1 of 2 statements of miniF2F test are not in the log, the first being theorem c',
      ),
    });
  });
  it('when more than one per cent of a split was never verified, not at one per cent', async () => {
    const hundred = (failed: number): string =>
      lines(
        ['a', 'b', 'c'].flatMap((name) =>
          Array.from({ length: 100 }, (_, iter) =>
            record(
              name,
              iter,
              true,
              name === 'a' && iter < failed ? { complete: undefined, system_errors: 'test failed' } : {},
            ),
          ),
        ),
      );
    const [valid] = await summary(await logFile(hundred(1)));
    expect(valid!.block[0]).toEqual([1, 99, expect.closeTo(Math.sqrt(0.99 * 0.01) * 100, 10)]);
    await rejects(logFile(hundred(2))).toMatchObject({ message: expect.stringContaining('2 of 100 samples (2.0 %)') });
  });
  it('when samples have no record, and says so', async () => {
    await rejects(logFile(lines(RECORDS.filter((_, index) => index !== 3)))).toMatchObject({
      message: expect.stringContaining('1 of them no record'),
    });
  });
  it('when more samples are asked for than the log has', async () => {
    await rejects(logFile(lines(RECORDS)), { samples: 9 }).toMatchObject({
      code: 'STP1502',
      message: expect.stringContaining('samples 0 to 7'),
    });
  });
  it.each([
    ['no JSON', `${lines(RECORDS.slice(0, 2))}{"statement": \n`, ':3: not JSON'],
    ['no sample number', lines([record('a', 0, true), record('a', 0, true, { iter: null })]), ':2: iter:'],
    ['a number beyond all budgets', lines([record('a', 2 ** 40, true)]), ':1: iter:'],
    ['a negative number', lines([record('a', -1, true)]), ':1: iter:'],
    ['a list', '[]\n', ':1: record:'],
    ['a cut gzip', gzipSync(lines(RECORDS)).subarray(0, -20), 'cut gzip data'],
    ['a damaged gzip', Buffer.concat([gzipSync(lines(RECORDS)).subarray(0, 40), Buffer.alloc(60, 0xab)]), 'gzip data'],
    ['an endless line', `{"statement": "${'x'.repeat(17 * 2 ** 20)}`, 'line longer than'],
  ])('for %s, with the place', async (_, content, expected) => {
    await rejects(logFile(content)).toMatchObject({ code: 'STP1501', message: expect.stringContaining(expected) });
  });
  it('for a file that is not there', async () => {
    await rejects(Promise.resolve('/no/such/log.gz')).toMatchObject({ code: 'STP1405' });
  });
  it('for samples so far apart that they would fill the memory', async () => {
    const far = Array.from({ length: 2_000 }, (_, index) => record(`t${index}`, 2 ** 21 - 1, false));
    const texts = new Set(far.map((_, index) => statementText(formal(`t${index}`))!));
    await rejects(logFile(lines(far)), { splits: [{ name: 'far', texts }] }).toMatchObject({
      message: expect.stringContaining('so far apart'),
    });
  });
});

describe('stp summary', () => {
  it("prints STP's JSON for the split's parts, from a dataset file", async () => {
    const log = await logFile(gzipSync(lines(RECORDS)));
    const dataset = join(directory, 'miniF2F.json');
    const rows = [
      { formal_statement: formal('a'), split: 'miniF2F valid', tags: null },
      { formal_statement: `${formal('b')}\n  sorry`, split: 'miniF2F test', tags: null },
    ];
    await writeFile(dataset, JSON.stringify(rows));
    const result = await stp([
      'summary',
      '--log_path',
      log,
      '--split',
      'miniF2F',
      '--max_iter',
      '2',
      '--statements',
      dataset,
    ]);
    expect(result.exitCode, String(result.all)).toBe(0);
    expect(JSON.parse(String(result.stdout))).toEqual({
      'miniF2F valid': [
        [1, 50, null],
        [2, 100, null],
      ],
      'miniF2F test': [
        [1, 100, null],
        [2, 100, null],
      ],
    });
    const both = await stp([
      'summary',
      '--log_path',
      log,
      '--statements',
      dataset,
      '--split',
      'minif2f',
      '--estimator',
      'both',
    ]);
    const figures = JSON.parse(String(both.stdout)) as Record<string, { unbiased: number[][] }>;
    expect(figures['minif2f valid']!.unbiased[0]).toEqual([1, 12.5, 12.5, 12.5]);
  });

  it('finds the statements of a set by its name where no list lies beside the log', async () => {
    const all = await Array.fromAsync(readStatements(join(PROBLEMS_DIRECTORY, 'nng', 'statements.jsonl')));
    const held = all.filter(({ split }) => split === 'held-out').map(({ statement }) => statement);
    const log = await logFile(lines(held.map((text) => record('x', 0, true, { statement: `${text} := by` }))));
    const result = await stp(['summary', '--log_path', log, '--split', 'nng held-out']);
    expect(result.exitCode, String(result.all)).toBe(0);
    expect(JSON.parse(String(result.stdout))).toEqual({ 'nng held-out': [[1, 100, null]] });
  });

  it('exits 1 with the reason where it refuses, 2 where it was not told what to do', async () => {
    const log = await logFile(lines(RECORDS));
    const refused = await stp(['summary', '--log_path', log, '--split', 'nng']);
    expect(refused.exitCode).toBe(1);
    expect(refused.all).toContain('STP1502');
    const unknown = await stp(['summary', '--log_path', log, '--split', 'no-such-set']);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.all).toContain('STP1502');
    expect(unknown.all).toContain('Name the dataset file with --statements');
    expect((await stp(['summary'])).exitCode).toBe(2);
  });
});

it('keeps no text of a log of 100,000 records: memory stays under 180 MB', { tags: ['slow'] }, async () => {
  const script = `
    import { createWriteStream, readFileSync } from 'node:fs';
    import { pipeline } from 'node:stream/promises';
    import { createGzip } from 'node:zlib';
    import { summariseLog, statementText } from '${join(import.meta.dirname, '../../activities/evaluation/log-summary.ts')}';
    const formal = (name) => 'theorem ' + name + ' (n : ℕ) : n + 0 = n := by';
    const names = Array.from({ length: 125 }, (_, index) => 't' + index);
    async function* lines() {
      for (let iter = 0; iter < 800; iter++)
        for (const [index, name] of names.entries())
          yield JSON.stringify({ statement: formal(name), iter, complete: iter % 125 === index, proof: 'x'.repeat(2_000) }) + '\\n';
    }
    const path = process.argv[1];
    await pipeline(lines, createGzip({ level: 1 }), createWriteStream(path));
    const texts = new Set(names.map((name) => statementText(formal(name))));
    const [split] = await summariseLog({ path, splits: [{ name: 'all', texts }], samples: 800, shortBlock: 'drop', seed: 1 });
    // Not maxRSS, which begins with what the process had that this one was forked from.
    const [, kilobytes] = /^VmHWM:\\s+(\\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'));
    console.log(JSON.stringify({ block: split.block, bytes: Number(kilobytes) * 1024 }));
  `;
  const child = await execa(process.execPath, ['--input-type=module', '-e', script, join(directory, 'large.gz')]);
  const { block, bytes } = JSON.parse(child.stdout) as { block: [number, number, number | null][]; bytes: number };
  expect(block.map(([k, mean]) => [k, mean])).toEqual([
    [1, expect.closeTo(100 / 125, 6)],
    [32, expect.closeTo(25.6, 6)],
    [128, 100],
    [640, 100],
  ]);
  // 200 MB of text went through.
  expect(bytes).toBeLessThan(180e6);
});
