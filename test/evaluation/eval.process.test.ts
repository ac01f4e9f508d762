/**
 * `bin/stp eval` with a model trained here, real Lean and a real server: killed with everything in the middle, taken up
 * again, its log read back. Costs about a minute.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EvaluationReport, evaluationReportSchema } from '@stp/config/records';
import { readStatements } from '@stp/datasets';
import { PROBLEMS_DIRECTORY } from '@stp/datasets/testing';
import { smallCheckpoint, trainInProcess, writeCheckpoint } from '@stp/language-model/testing';
import { proverExample } from '@stp/selfplay';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EVALUATION_LOG } from '../../activities/evaluation/evaluation-log.ts';
import { readMetrics } from '../../infra/monitor/jsonl-monitor.ts';
import { stp } from '../support/stp.ts';

/** Two commands that run to their end, with Lean: minutes where other tests run beside them. */
vi.setConfig({ testTimeout: 900_000 });

const SAMPLES = 8;
let directory: string;
let options: string[];
/** A checkpoint folder of other weights. */
let another: string;
let statements: number;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-eval-'));
  const all = await Array.fromAsync(readStatements(join(PROBLEMS_DIRECTORY, 'nng', 'statements.jsonl')));
  statements = all.filter((statement) => statement.split === 'held-out').length;
  const examples = all
    .filter((statement) => statement.split === 'train')
    .flatMap(({ statement }) => ['omega', 'simp_all'].map((proof) => proverExample(statement, proof, 1)));
  const examplesPath = join(directory, 'examples.jsonl');
  await writeFile(examplesPath, examples.map((example) => `${JSON.stringify(example)}\n`).join(''));
  const model = join(directory, 'model');
  // It learns to answer with one of two tactics that prove a good part of the set.
  await trainInProcess({
    examplesPath,
    initDirectory: null,
    shape: {
      hiddenSize: 32,
      layers: 1,
      heads: 4,
      keyValueHeads: 2,
      feedForwardSize: 64,
      vocabularySize: 300,
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
  another = join(directory, 'another');
  await writeCheckpoint(another, smallCheckpoint());
  options = ['--model', model, '--problems', 'nng', '--split', 'held-out', '--samples', String(SAMPLES)];
  options.push('--temperature', '0.7', '--preset', 'smoke', '--seed', '2', '--set', 'sampling.statementsPerShard=8');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const evaluation = async (run: string): Promise<EvaluationReport> =>
  evaluationReportSchema.parse(JSON.parse(await readFile(join(run, 'evaluation.json'), 'utf8')));

/** Shards that are sampled to the end. */
async function sampledShards(run: string): Promise<string[]> {
  const names = await readdir(join(run, 'evaluation'), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith('sampled.json')).map((name) => name.split('/')[0]!);
}

it('survives the death of everything, does no shard again, and leaves a log that says what evaluation.json says', {
  tags: ['slow'],
}, async () => {
  const run = join(directory, 'runs', 'killed');
  const first = stp(['eval', ...options, '--run-dir', run]);
  while ((await sampledShards(run)).length === 0) await sleep(50);
  first.kill('SIGKILL');
  const killed = await first;
  expect(killed.signal).toBe('SIGKILL');
  const finished = await sampledShards(run);

  const result = await stp(['eval', ...options, '--run-dir', run]);
  expect(result.exitCode, String(result.all)).toBe(0);
  expect(result.all).toContain('taking up the run');
  const sampled = new Map<string, number>();
  for await (const { name } of readMetrics(join(run, 'metrics.jsonl')))
    if (/^evaluation\/.*\/samples$/.test(name)) sampled.set(name, (sampled.get(name) ?? 0) + 1);
  for (const shard of finished) expect(sampled.get(`evaluation/${shard.replaceAll('-', '_')}/samples`), shard).toBe(1);

  const report = await evaluation(run);
  const [group] = report.groups;
  expect(report).toMatchObject({ name: 'killed', samplesPerStatement: SAMPLES, temperature: 0.7, seed: 2 });
  expect(report.samples).toBe(statements * SAMPLES);
  expect(group).toMatchObject({ group: 'nng held-out', statements, unverified: 0, refused: null });
  expect(group!.proved).toBeGreaterThan(0);
  expect(group!.unbiased.map(({ k }) => k)).toEqual([1, 2, 4, 8]);
  expect(group!.unbiased.at(-1)!.mean).toBeCloseTo(group!.proved / statements, 12);
  expect(result.all).toContain(`nng held-out: ${group!.proved} of ${statements} statements proved`);

  const log = join(run, EVALUATION_LOG);
  const summary = await stp(['summary', '--log_path', log, '--split', 'nng']);
  expect(summary.exitCode, String(summary.all)).toBe(0);
  expect(JSON.parse(String(summary.stdout))).toEqual({
    'nng held-out': group!.block.map(({ k, mean, deviation }) => [
      k,
      100 * mean,
      deviation === null ? null : 100 * deviation,
    ]),
  });
});

/** In the folder that the evaluation above has left. */
it('refuses a model that is not there, and another model or split in the same folder', { tags: ['slow'] }, async () => {
  const run = join(directory, 'runs', 'killed');
  const none = await stp(['eval', '--model', join(directory, 'nothing'), '--problems', 'nng', '--run-dir', run]);
  expect(none.exitCode).toBe(2);
  expect(none.all).toContain('names no model');
  const portfolio = await stp(['eval', '--model', 'portfolio', '--problems', 'nng', '--run-dir', run]);
  expect(portfolio.exitCode).toBe(2);
  expect(portfolio.all).toContain('Write --prover scripts and leave out --model.');
  const neither = await stp(['eval', '--problems', 'nng', '--run-dir', run]);
  expect(neither.all).toContain('Give --model MODEL, or --prover scripts without a model.');
  const other = await stp(['eval', ...options, '--samples', '9', '--run-dir', run]);
  expect(other.exitCode).toBe(2);
  expect(other.all).toContain('sampling.samplesPerStatement = 8, not 9');
  const weights = await stp(['eval', ...options, '--model', another, '--run-dir', run]);
  expect(weights.all).toContain(`evaluation killed was started with model ${(await evaluation(run)).model}, not `);
  const split = await stp(['eval', ...options, '--split', 'all', '--run-dir', run]);
  expect(split.all).toContain('evaluation killed was started with --split held-out, not all');
  // Before a server or a worker is there.
  for (const refused of [weights, split]) {
    expect(refused.exitCode).toBe(2);
    expect(refused.all).not.toContain('Temporal');
  }
});
