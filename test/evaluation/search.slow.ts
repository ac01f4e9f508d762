/**
 * `bin/stp eval --prover steps` with a model trained here on states, real Lean and a real server. About a minute.
 *
 * @module-tag slow
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluationReportSchema } from '@stp/config/records';
import { countResults, readSearchResults, readStatements } from '@stp/datasets';
import { PROBLEMS_DIRECTORY } from '@stp/datasets/testing';
import { trainInProcess } from '@stp/language-model/testing';
import { plainStateForm, readSignature } from '@stp/selfplay';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { stp } from '../support/stp.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

let directory: string;
let model: string;
let statements: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-search-'));
  const all = await Array.fromAsync(readStatements(join(PROBLEMS_DIRECTORY, 'nng', 'statements.jsonl')));
  statements = all.filter((statement) => statement.split === 'held-out').length;
  // It learns to answer any state with one of two tactics.
  const examples = all.flatMap(({ statement }) => {
    const signature = readSignature(statement);
    if (signature === null) return [];
    const goal = {
      hypotheses: signature.binders.map(({ names, type }) => ({ names, type })),
      target: signature.conclusion,
    };
    const { prompt } = plainStateForm(goal);
    return ['omega', 'simp_all'].map((target) => ({ prompt, target, weight: 1, role: 'prover' }));
  });
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(examplesPath, examples.map((example) => `${JSON.stringify(example)}\n`).join(''));
  model = join(directory, 'model');
  await trainInProcess({
    examplesPath,
    initDirectory: null,
    shape: {
      hiddenSize: 32,
      layers: 1,
      heads: 4,
      keyValueHeads: 2,
      feedForwardSize: 64,
      vocabularySize: 320,
      contextLength: 192,
    },
    outputDirectory: model,
    steps: 80,
    tokensPerStep: 1_500,
    learningRate: 2e-2,
    warmupSteps: 5,
    schedule: 'linear',
    weightDecay: 0,
    gradientClipNorm: 1,
    seed: 5,
    stateDirectory: null,
    heldOutPath: null,
    heldOutEverySteps: 80,
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const COMMON = ['--problems', 'nng', '--split', 'held-out', '--preset', 'smoke', '--set', 'prover.slots=false'];
const evaluate = (...options: string[]) =>
  stp(['eval', '--model', model, ...COMMON, '--run-dir', join(directory, 'run'), ...options]);

it('searches every statement, certifies what it finds and says what it cost', async () => {
  const refused = await evaluate('--prover', 'steps', '--samples', '4');
  expect(refused.exitCode).toBe(2);
  expect(refused.all).toContain('--samples counts whole proofs');
  expect((await evaluate('--max-expansions', '4')).all).toContain('--max-expansions needs --prover steps');
  expect((await evaluate('--name-filter', 'xyz')).all).toContain('hexadecimal');

  expect((await evaluate('--search-like', 'llmstep')).all).toContain('--search-like needs --prover steps');
  const options = [
    '--prover',
    'steps',
    '--search-like',
    'llmstep',
    '--max-expansions',
    '4',
    '--num-sampled-tactics',
    '4',
    '--timeout',
    '60',
  ];
  const result = await evaluate(...options);
  expect(result.exitCode, String(result.all)).toBe(0);
  expect(result.all).toContain('one search per statement');
  expect(result.all).toContain('states expanded');
  expect(result.all).toContain(`of the ${statements} whose search could begin`);
  const text = await readFile(join(directory, 'run', 'evaluation.json'), 'utf8');
  const { groups, search, leanSeconds, samples } = evaluationReportSchema.parse(JSON.parse(text));
  const [group] = groups;
  expect(group).toMatchObject({ statements, begun: statements, unverified: 0, refused: null });
  expect(group!.proved).toBeGreaterThan(0);
  expect(group!.unbiased.map(({ k }) => k)).toEqual([1]);
  expect(samples).toBe(statements);
  expect(search).toMatchObject({ searches: statements });
  expect(search!.found).toBeGreaterThanOrEqual(group!.proved);
  expect(search!.expansions).toBeGreaterThanOrEqual(statements);
  expect(leanSeconds).toBeGreaterThanOrEqual(search!.leanMs / 1_000);

  const results = await readSearchResults(join(directory, 'run', 'search-results.json'));
  expect(results).toHaveLength(statements);
  const counts = countResults(results);
  expect([counts.theorems, counts.proved, counts.notBegun]).toEqual([statements, group!.proved, 0]);
  for (const { attempt_results } of results)
    for (const one of attempt_results) {
      if (!one.success) continue;
      expect(one.trace.map(({ tactic }) => tactic)).toEqual(one.proof);
      expect(one.trace.every(({ state_before }) => state_before.includes('⊢'))).toBe(true);
      expect(one.score).toBeGreaterThan(0);
    }

  const others = await evaluate(...options, '--num-theorems', '3');
  expect(others.exitCode).toBe(2);
  expect(others.all).toContain('was started with --num-theorems (none), not 3');
});
