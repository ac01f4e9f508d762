/** Sampling with unreliable parts: a model server that never repeats an answer, and a monitor that fails. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { type ArtifactRef, type ObjectStore, sampleSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { SampleRequest, SamplingOptions } from '@stp/language-model';
import type { GenerateOptions } from '@stp/language-model/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleConjectureShareActivity } from '../../activities/conjecturers/model/sample-conjecture-share.ts';
import { sampleConjecturesActivity } from '../../activities/conjecturers/model/sample-conjectures.ts';
import type { Sampled } from '../../activities/provers/shard-turn.ts';
import { sampleShardActivity } from '../../activities/provers/whole/sample-shard.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { conjectureTextSchema } from '../../activities/round/conjecture-records.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { unasked } from '../support/stand-ins.ts';
import { forget } from './forget.ts';

vi.mock('../../activities/training/checkpoints.ts', () => ({ fetchCheckpoint: async () => 'checkpoint' }));

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-generate-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

let calls = 0;
const generator = {
  async sample(requests: readonly { id: string }[]) {
    calls++;
    return requests.map(({ id }) => ({ id, text: `call_${calls}`, tokens: 1, logprob: 0, finish: 'stop' as const }));
  },
};
const ports = {
  sources: repositorySources(),
  store: async () => store,
  scratch: async () => directory,
  generator: async () => generator,
  ...{ verifier: unasked, contexts: unasked, portfolioKept: unasked },
  monitor: async () => ({
    log: async () => {
      throw new Error('no disk for metrics');
    },
  }),
};
const run = async <T>(activity: unknown, input: object): Promise<T> =>
  (await new MockActivityEnvironment().run(activity as never, input)) as T;

it('samples of a shard are those of the attempt that came to its end', async () => {
  const one = { statement: statement('theorem a (n : Nat) : n = n'), origin: 'dataset', samples: 2 };
  const items = await writeRecords(store, 'items.jsonl', [one]);
  const input = {
    run: 'test',
    name: 'shard',
    items,
    library: null,
    checkpoint: { manifest: items, model: 'm' },
    config: resolveConfig({ preset: 'smoke' }),
  };
  const sample = () => run<Sampled>(sampleShardActivity(ports).sampleShard, input);
  const before = calls;
  await sample();
  await forget(directory, 'shard/sampled.json');
  const { samples } = await sample();
  expect((await readAll(store, samples, sampleSchema)).map(({ proof }) => proof.trim())).toEqual([
    `call_${before + 2}`,
  ]);
});

it('answers that a lost attempt had finished are not asked for again, and none is kept for long', async () => {
  const one = { statement: statement('theorem a (n : Nat) : n = n'), origin: 'dataset', samples: 6 };
  const items = await writeRecords(store, 'items.jsonl', [one]);
  const config = resolveConfig({ preset: 'smoke' });
  const input = {
    run: 'test',
    name: 'shard',
    items,
    library: null,
    checkpoint: { manifest: items, model: 'm' },
    config,
  };
  const asked: number[][] = [];
  /** The server finishes some of the requests and then disappears. */
  const sampling = (most: number) => ({
    async sample(requests: readonly SampleRequest[], _: SamplingOptions, { onCompletion }: GenerateOptions = {}) {
      asked.push(requests.map(({ seed }) => seed));
      const done = requests.slice(0, most).map(({ id, seed }) => ({
        ...{ id, text: `proof_${seed}`, tokens: 5, promptTokens: 3, logprob: null, finish: 'stop' as const },
      }));
      // One is longer than any record may be: it is sampled again.
      for (const [at, completion] of done.entries()) onCompletion?.(at, at === 1 ? long(completion) : completion);
      if (done.length < requests.length) throw new Error('the server is gone');
      return done;
    },
  });
  const long = <T extends { text: string }>(completion: T): T => ({ ...completion, text: '\u0001'.repeat(50_000) });
  const attempt = (most: number, model = 'm') =>
    run<Sampled>(sampleShardActivity({ ...ports, generator: async () => sampling(most) as never }).sampleShard, {
      ...input,
      checkpoint: { ...input.checkpoint, model },
    });
  await expect(attempt(4)).rejects.toThrow('the server is gone');
  await expect(attempt(1)).rejects.toThrow('the server is gone');
  // Answers of other weights cannot be used.
  await expect(attempt(0, 'other')).rejects.toThrow('the server is gone');
  const result = await attempt(6);
  const all = asked[0]!;
  expect(asked).toEqual([all, [all[1], all[4], all[5]], all, [all[4], all[5]]]);
  expect(result).toMatchObject({ sampleCount: 6, distinctCount: 6, tokens: 30, promptTokens: 18 });
  const samples = await readAll(store, result.samples, sampleSchema);
  expect(samples.map(({ proof, indices }) => [proof, indices])).toEqual(
    all.map((seed, index) => [`proof_${seed}`, [index]]),
  );
  expect(await Array.fromAsync(store.list('shard/answer-parts/'))).toEqual([]);
});

it('texts of conjectures are those of the attempt that came to its end', async () => {
  const origin = { kind: 'seed', lemmaStatement: null, easyStatement: 'theorem a : True', easyProof: 'trivial' };
  const entry = { prompt: 'p', seedId: 's', header: null, labels: [], lemma: null, origin };
  const plan = await writeRecords(store, 'plan.jsonl', [entry]);
  const checkpoint = { manifest: plan, model: 'm' };
  const input = { run: 'test', name: 'round', plan, checkpoint, config: resolveConfig({ preset: 'smoke' }) };
  const sample = () => run<ArtifactRef>(sampleConjecturesActivity(ports).sampleConjectures, input);
  const before = calls;
  await sample();
  await forget(directory, 'round/conjectured.json');
  await forget(directory, 'round/conjecture-texts/00000.json');
  expect((await readAll(store, await sample(), conjectureTextSchema)).map(({ text }) => text)).toEqual([
    `call_${before + 2}`,
  ]);
});

it('texts of conjectures that machines have sampled in shares are put together without sampling any again', async () => {
  const origin = { kind: 'seed', lemmaStatement: null, easyStatement: 'theorem a : True', easyProof: 'trivial' };
  const entry = { prompt: 'p', seedId: 's', header: null, labels: [], lemma: null, origin };
  // Three parts of at most 4,096.
  const plan = await writeRecords(
    store,
    'plan.jsonl',
    Array.from({ length: 9_000 }, () => entry),
  );
  const checkpoint = { manifest: plan, model: 'm' };
  const input = { run: 'test', name: 'round', plan, checkpoint, config: resolveConfig({ preset: 'smoke' }) };
  const before = calls;
  const shares = await Promise.all(
    [0, 1].map((share) =>
      run<number>(sampleConjectureShareActivity(ports).sampleConjectureShare, { ...input, share, of: 2 }),
    ),
  );
  expect([shares, calls - before]).toEqual([[2, 1], 3]);
  const texts = await readAll(
    store,
    await run<ArtifactRef>(sampleConjecturesActivity(ports).sampleConjectures, input),
    conjectureTextSchema,
  );
  expect(calls - before).toBe(3);
  expect(texts.map(({ input: number }) => number)).toEqual(Array.from({ length: 9_000 }, (_, index) => index));
});
