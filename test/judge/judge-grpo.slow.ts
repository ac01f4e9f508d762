/**
 * Plays a small run of the preset `judge-grpo`: a model of some ten thousand weights writes proofs in words, a server
 * marks them by a rule, and marks train the model. The server has a service's faults: rate limits, errors, silence,
 * unusable answers. No language model judges. Costs some minutes: a Temporal server, workers, three trainings.
 *
 * @module-tag slow
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleRewardSchema } from '@stp/config/records';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readMetrics } from '../../infra/monitor/jsonl-monitor.ts';
import { type Fault, type JudgeServer, startJudgeServer } from '../fakes/judge-server.ts';
import { settings, stp } from '../support/stp.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

/** Faults by number of the request: about one in six fails. */
const FAULTS: Readonly<Record<number, Fault>> = {
  3: 'busy',
  9: 'broken',
  15: 'silent',
  21: 'ok-error',
  27: 'prose',
  33: 'cut',
  39: 'off-scale',
  45: 'invented',
};
/** Every third problem is marked criterion by criterion. */
const RUBRIC = JSON.stringify({ criteria: ['begins', 'ends'].map((name, at) => ({ name, points: 3 + at })) });
/** Marks a proof by the number of times that it says "so". */
const rule = (proof: string): number => Math.min(7, (proof.match(/so/gu) ?? []).length) / 7;

let directory: string;
let server: JudgeServer;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-judge-grpo-'));
  server = await startJudgeServer({ rule, fault: (request) => FAULTS[request % 48] });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

it('goes from samples over judges and rewards to trained models, whatever the judge does', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: `p${at}`, set: 'small', problem: `Show that ${at} is small.`, scale: '0-7', reference: `${at} is small.` },
    ...(at % 3 === 0 ? { rubric: RUBRIC } : {}),
    proof: `${at} ${'so '.repeat(1 + (at % 4))}it is small.`,
  }));
  const file = join(directory, 'rows.jsonl');
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  const env = { STP_DATA: join(directory, 'data') };
  const prepared = await stp(['data', 'prepare', '--from', 'words', '--input', file, '--name', 'small'], { env });
  expect(prepared.exitCode, String(prepared.all)).toBe(0);
  const judge = { provider: 'server', url: `${server.url}/v1`, model: 'by-rule', timeoutSeconds: 2, votes: 2 };
  const set = {
    'data.problemSets': '["small"]',
    'data.sft': 'small',
    'model.hiddenSize': 48,
    'model.layers': 2,
    'model.heads': 4,
    'model.keyValueHeads': 2,
    'model.feedForwardSize': 96,
    'model.vocabularySize': 400,
    'model.contextLength': 256,
    'sft.stepsMin': 80,
    'sft.stepsMax': 80,
    'sft.examplesPerStep': 12,
    'sft.tokensPerStep': 2048,
    'sft.learningRate': 0.005,
    'sampling.maxTokens': 40,
    'sampling.statementsPerShard': 4,
    'training.tokensPerStep': 2048,
    'training.learningRate': 0.003,
    'training.examplesPerStep': 32,
    'objective.rewards.judge.judges': JSON.stringify([judge]),
  };
  const run = join(directory, 'runs', 'run');
  const result = await stp(
    ['selfplay', '--preset', 'judge-grpo', '--rounds', '2', '--seed', '1', '--run-dir', run, ...settings(set)],
    { env },
  );
  expect(result.exitCode, String(result.all)).toBe(0);
  const names = await readdir(join(run, 'rounds'), { recursive: true });
  const rewarded = names.filter((name) => /shard-\d+\/rewards-[^/]*\.jsonl$/u.test(name));
  // Three rounds of three shards.
  expect(rewarded).toHaveLength(9);
  const rewards = (await Promise.all(rewarded.map((name) => readFile(join(run, 'rounds', name), 'utf8'))))
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => sampleRewardSchema.parse(JSON.parse(line)));
  expect(rewards.length).toBeGreaterThan(50);
  expect(new Set(rewards.flatMap((one) => (one.kind === 'reward' ? [one.value] : []))).size).toBeGreaterThan(1);
  expect(server.requests.some(({ text }) => text.includes('Give points for each criterion'))).toBe(true);
  // Lean verified nothing.
  expect(names.some((name) => name.endsWith('verified.json'))).toBe(false);
  // A round of equal samples trains nothing.
  const trained = (await readdir(join(run, 'checkpoints'))).filter((name) => name.startsWith('round-'));
  expect(trained.length).toBeGreaterThanOrEqual(1);
  const logged = new Set<string>();
  for await (const { name } of readMetrics(join(run, 'metrics.jsonl'))) logged.add(name);
  expect([...logged]).toEqual(expect.arrayContaining(['round/judge_requests', 'round/judge_answer_tokens']));
  // Each answered question is stored and was answered once.
  const kept = (await readdir(join(run, 'judge', 'answers'), { recursive: true })).filter((name) =>
    name.endsWith('.json'),
  );
  expect(kept.length).toBeGreaterThan(50);
  // Each question was asked once, and again only after a failure.
  const asked = new Map<string, number[]>();
  for (const [at, { body }] of server.requests.entries()) {
    const key = JSON.stringify([body.seed, body.messages]);
    asked.set(key, [...(asked.get(key) ?? []), at]);
  }
  const unanswered: readonly (Fault | undefined)[] = ['busy', 'broken', 'silent', 'ok-error'];
  for (const tries of asked.values())
    expect(tries.slice(0, -1).every((at) => unanswered.includes(FAULTS[at % 48]))).toBe(true);
});
