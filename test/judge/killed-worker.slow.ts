/**
 * A worker that is killed while it judges a shard: another one goes on with it, and asks for no proof that is judged, nor counts one
 * twice. Costs about 30 s, most of it waiting for the silence of the killed worker.
 *
 * @module-tag slow
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { artifactRefSchema, judgingSchema, sampleRewardSchema, shardFolder } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { dedupeSamples } from '@stp/selfplay';
import { Worker } from '@temporalio/worker';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readAll, readJson, writeRecords } from '../../activities/records/record-files.ts';
import { judgesSpent } from '../../activities/round/shard-rewards.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { startJudgeServer } from '../fakes/judge-server.ts';
import { localServer } from '../support/temporal.ts';
import type { judgeShard } from './judge-workflow.ts';

vi.setConfig({ testTimeout: 240_000 });

const PROOFS = 40;
/** Requests that the first worker gets an answer to. */
const ANSWERED = 25;
const FOLDER = shardFolder('rounds/0-aaaaaaaa', 0);
const QUEUE = 'judging';
const signal = new AbortController().signal;

it('no judged proof is asked again, and each answer is counted once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-judge-killed-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  let isFirstWorker = true;
  const judge = await startJudgeServer({
    rule: (proof) => (proof.includes('complete') ? 1 : 0),
    fault: (request) => (isFirstWorker && request >= ANSWERED ? 'silent' : undefined),
  });
  onTestFinished(() => judge.close());
  const storeUrl = pathToFileURL(join(directory, 'store')).href;
  const store = await openStore(storeUrl);
  const problem = { ...statement('Show that it is so.'), informal: 'Show that it is so.' };
  const samples = dedupeSamples(
    Array.from({ length: PROOFS }, (_, index) => ({
      ...{ statementId: problem.id, index, text: `proof ${index}${index % 2 ? ', complete' : ''}` },
      ...{ tokens: 1, logprob: null, seed: index, finish: 'stop' as const },
    })),
    'm',
  );
  const own = {
    ...{ url: `${judge.url}/v1`, model: 'by-rule', price: { prompt: 1, answer: 2 } },
    limits: { requestsPerMinute: null },
  };
  const { rewards, seed } = resolveConfig({ preset: 'judge-grpo', set: { 'judging.judges': [own] } });
  const input = {
    ...{ run: 'r', name: FOLDER },
    items: await writeRecords(
      store,
      'items.jsonl',
      [{ statement: problem, samples: PROOFS, origin: 'dataset' }],
      signal,
    ),
    sampled: {
      samples: await writeRecords(store, 'samples.jsonl', samples, signal),
      ...{ sampleCount: PROOFS, distinctCount: PROOFS, tokens: PROOFS },
    },
    config: { rewards, seed, judging: judgingSchema.parse({ judges: [own] }) },
  };

  const temporal = await localServer();
  onTestFinished(() => temporal.teardown());
  const workflows = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue: QUEUE,
    workflowsPath: join(import.meta.dirname, 'judge-workflow.ts'),
  });
  const ended = workflows.run();
  onTestFinished(async () => {
    workflows.shutdown();
    await ended;
  });
  const work = (): ChildProcess => {
    const entry = join(import.meta.dirname, 'judge-worker.ts');
    const words = [entry, temporal.address, QUEUE, storeUrl, join(directory, 'cache')];
    const worker = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void worker.kill('SIGKILL'));
    return worker;
  };
  const kept = async (): Promise<number> =>
    (await readdir(join(directory, 'store', 'judge', 'answers'), { recursive: true }).catch(() => [])).filter((name) =>
      /^\w\w\/[^/]+\.json$/u.test(name),
    ).length;

  const handle = await temporal.client.workflow.start<typeof judgeShard>('judgeShard', {
    ...{ workflowId: 'judge', taskQueue: QUEUE },
    args: [input],
  });
  const first = work();
  while ((await kept()) < ANSWERED || judge.requests.length < PROOFS) await pause(50);
  first.kill('SIGKILL');
  const answered = new Set(judge.requests.slice(0, ANSWERED).map(({ text }) => text));
  const waiting = judge.requests.splice(0).slice(ANSWERED);
  isFirstWorker = false;
  const second = work();
  for await (const line of createInterface({ input: second.stdout! })) if (line === 'ready') break;
  await handle.result();

  expect(answered.size).toBe(ANSWERED);
  expect(judge.requests.filter(({ text }) => answered.has(text))).toEqual([]);
  // What nobody had answered is asked again, once.
  const texts = (requests: typeof judge.requests) => requests.map(({ text }) => text).sort();
  expect(texts(judge.requests)).toEqual(texts(waiting));
  const ref = await readJson(store, (await store.stat(`${FOLDER}/rewarded.json`))!, artifactRefSchema);
  const values = (await readAll(store, ref, sampleRewardSchema)).map((one) => one.kind === 'reward' && one.value);
  expect(values).toEqual(samples.map(({ proof }) => (proof.includes('complete') ? 1 : 0)));
  // Both workers' answers, each once.
  const spent = (await judgesSpent(store, 'rounds/0-aaaaaaaa', 1))!;
  expect(spent).toMatchObject({ requests: PROOFS, answers: PROOFS });
  expect(spent.cost).toBeCloseTo((spent.promptTokens + 2 * spent.answerTokens) / 1e6, 9);
});
