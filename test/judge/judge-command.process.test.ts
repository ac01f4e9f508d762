/**
 * `bin/stp judge` as a process against a server that marks by a rule: marks, a killed command that asks nothing twice, audits of
 * published ratings, and files of other systems. About 10 s, most of them starts of processes.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from '@stp/judge';
import { readItems } from '@stp/judge/formats';
import { spearman } from '@stp/judge/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JudgeServer, startJudgeServer } from '../fakes/judge-server.ts';
import { stp } from '../support/stp.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'judge');
const rule = (proof: string): number => (proof.includes('complete') ? 1 : 0);

let directory: string;
let server: JudgeServer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-judge-command-'));
});
afterEach(async () => {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

async function config(judge: object = {}): Promise<string> {
  const path = join(directory, 'judges.json');
  const own = { provider: 'server', url: `${server.url}/v1`, model: 'by-rule', ...judge };
  await writeFile(path, JSON.stringify({ judges: [own] }));
  return path;
}

async function rows(count: number): Promise<string> {
  const path = join(directory, 'proofs.jsonl');
  const all = Array.from({ length: count }, (_, at) => ({
    ...{ id: `proof-${at}`, set: at % 2 === 0 ? 'even' : 'odd', problem: `Show ${at}.`, scale: '0-7' },
    ...{ proof: at % 3 === 0 ? `a complete proof of ${at}` : `nothing about ${at}`, human: at % 3 === 0 ? 7 : 0 },
  }));
  await writeFile(path, all.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}

const environment = () => ({ cwd: directory, env: { STP_CACHE: join(directory, 'cache') } });

describe('stp judge', () => {
  it('marks a file in its order, and an audit compares the marks with people', async () => {
    server = await startJudgeServer({ rule });
    const file = await rows(9);
    const result = await stp(['judge', file, '--config', await config(), '--json'], environment());
    expect(result.exitCode, String(result.all)).toBe(0);
    const lines = String(result.stdout)
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(Array.from({ length: 9 }, (_, at) => `proof-${at}`));
    const judged = join(directory, 'judged.jsonl');
    await writeFile(judged, String(result.stdout));
    const audited = await stp(['judge', 'audit', '--gold', file, '--judged', judged, '--json'], environment());
    const all = JSON.parse(String(audited.stdout).split('\n').at(-1)!);
    expect(all).toMatchObject({
      set: 'all',
      proofs: 9,
      unjudged: 0,
      meanAbsoluteError: 0,
      accepted: 3,
      falselyAccepted: 0,
    });
    expect(all.rankCorrelation).toBeCloseTo(1);
  });

  it('that is killed asks nothing again that was answered', async () => {
    server = await startJudgeServer({ rule, latencyMs: 30 });
    const args = ['judge', await rows(60), '--config', await config({ limits: { requestsInFlight: 2 } })];
    const first = stp(args, environment());
    while (server.requests.length < 20) await new Promise((resolve) => setTimeout(resolve, 10));
    first.kill('SIGKILL');
    await first;
    const before = server.requests.length;
    expect(before).toBeLessThan(60);
    const second = await stp(args, environment());
    expect(second.exitCode, String(second.all)).toBe(0);
    const asked = server.requests.map(({ text }) => text);
    const again = asked.slice(before).filter((text) => asked.slice(0, before).includes(text));
    // What was under way when it was killed had no answer yet.
    expect(again.length).toBeLessThanOrEqual(2);
    expect(new Set(asked).size).toBe(60);
  });

  it('says what it lacks', async () => {
    server = await startJudgeServer({ rule });
    const file = await rows(1);
    expect(String((await stp(['judge', file], environment())).all)).toContain('--config');
    const path = await config({ url: null });
    expect(String((await stp(['judge', file, '--config', path], environment())).all)).toContain('judges.0.url');
  });
});

describe('an audit', () => {
  it('of published ratings with human marks, read as they come', async () => {
    const items = await readItems(join(FIXTURES, 'deepseek-math-v2.jsonl'));
    expect(
      items.map(({ set, grading, human, automatic }) => [set, grading.scale, human?.raw, automatic === 1]),
    ).toEqual([
      ['PB-Basic', '0-7', 7, true],
      ['PB-Advanced', '0-7', 0, true],
      ['CMO2024', '0-21', 21, true],
      ['Putnam2024', '0-10', 8, false],
    ]);
    expect(items[0]!.grading.rubric).toContain('(Partial)');
  });

  it('counts what people and the judge say, and knows ties', () => {
    const one = (human: number, judged: number | null, allFull = judged === 1) => ({
      set: 's',
      human,
      judged,
      allFull,
    });
    const [found] = audit([one(1, 1), one(0, 1), one(2 / 7, 1), one(0, 0.5), one(1, 0.9), one(1, null)]);
    expect(found).toMatchObject({
      ...{ proofs: 6, unjudged: 1, accepted: 3, falselyAccepted: 2, falselyAcceptedBelowHalf: 2 },
      confusion: { full: { full: 1, part: 1, none: 0 }, part: { full: 1 }, none: { full: 1, part: 1 } },
    });
    expect(found!.falseShareOfAccepted).toBeCloseTo(2 / 3);
    expect(found!.falseAcceptRate).toBeCloseTo(2 / 3);
    expect(found!.meanAbsoluteError).toBeCloseTo((0 + 1 + 5 / 7 + 0.5 + 0.1) / 5);
    expect(spearman([1, 2, 3, 4], [10, 20, 20, 40])).toBeCloseTo(0.9487, 4);
    expect(spearman([1, 1], [1, 2])).toBeNull();
  });
});

describe('files of other systems', () => {
  it('Parquet that pyarrow has written is read as veRL and LLMProofs read it', async () => {
    expect(await readItems(join(FIXTURES, 'verl-pyarrow.parquet'))).toMatchObject([
      {
        id: 'q1',
        set: 'llm_judge_proof_train',
        problem: 'Show it.',
        grading: { scale: '0-6', rubric: 'All counts.', reference: 'It is so.' },
        answer: null,
        split: 'train',
      },
      { id: 'test::1', problem: 'Show that.', grading: {}, split: 'held-out' },
    ]);
  });

  it('each form holds what the others can', async () => {
    const source = join(FIXTURES, 'deepseek-math-v2.jsonl');
    const [verl, llmproofs, back] = ['a.parquet', 'b.json', 'c.jsonl'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    for (const [from, to, out] of [
      [source, 'verl', verl],
      [source, 'llmproofs', llmproofs],
      [verl, 'rows', back],
    ] as const)
      expect((await stp(['judge', 'convert', from, '--to', to, '--out', out])).exitCode).toBe(0);
    const items = await readItems(source);
    const essence = (all: typeof items) =>
      all.map(({ problemId, problem, grading, answer }) => ({ problemId, problem, grading, answer }));
    expect(essence(await readItems(verl))).toEqual(essence(items));
    expect(essence(await readItems(back))).toEqual(essence(items));
    expect((await readItems(llmproofs)).map(({ problem, answer }) => [problem, answer])).toEqual(
      items.map(({ problem, answer }) => [problem, answer]),
    );
    const file = JSON.parse(await readFile(llmproofs, 'utf8'));
    expect(file).toMatchObject({
      metadata: { total_questions: 4, total_responses: 4 },
      problem_metadata: { 'PB-Basic-002': { source: 'PB-Basic' } },
    });
    expect((await stp(['judge', 'convert', source, '--to', 'rows', '--out', back])).exitCode).toBe(2);
  });

  it('IMO-ProofBench as a table gives rubrics and solutions', async () => {
    const path = join(directory, 'proofbench.csv');
    await writeFile(
      path,
      'Problem ID,Problem,Solution,Grading guidelines,Category,Level,Short Answer,Source\nPB-Basic-001,"Find, and prove","By ""x""","(Partial)\n1. Guessed",Algebra,IMO-easy,2x,IMO\n',
    );
    expect(await readItems(path)).toMatchObject([
      {
        problemId: 'PB-Basic-001',
        set: 'PB-Basic',
        problem: 'Find, and prove',
        grading: { scale: '0-7', rubric: '(Partial)\n1. Guessed', reference: 'By "x"' },
      },
    ]);
  });

  it.each([
    ['rows.jsonl', '{"id": "a"}\n', 'line 1: problem'],
    ['rows.jsonl', '{"id": "a", "problem": "p", "human": 9, "scale": "0-7"}\n', 'not on the scale'],
    ['rows.jsonl', 'no JSON\n', 'line 1: it is not JSON'],
    ['out.json', '{"metadata": {}}', 'results'],
    ['table.csv', 'a,b\n1,2\n', 'row 1: Problem ID'],
    ['rows.parquet', 'no Parquet', 'cannot be read as Parquet'],
  ])('that are none are refused with their place: %s, %s', async (name, text, problem) => {
    const path = join(directory, name);
    await writeFile(path, text);
    await expect(readItems(path)).rejects.toMatchObject({ code: 'STP1501', message: expect.stringContaining(problem) });
  });
});
