/** Sampling with unreliable parts: a model server that never repeats an answer, and a monitor that fails. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Ports } from '../../activities/ports.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { conjectureTextSchema } from '../../activities/round/conjecture-records.ts';
import { generateActivities, type Sampled } from '../../activities/round/generate.ts';
import { resolveConfig } from '../../data/config/resolve.ts';
import type { ArtifactRef } from '../../data/schemas/artifact.ts';
import { sampleSchema } from '../../data/schemas/records.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { statement } from '../selfplay/records.ts';
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
  monitor: async () => ({
    log: async () => {
      throw new Error('no disk for metrics');
    },
  }),
} as unknown as Ports;
const activities = generateActivities(ports);
const run = async <T>(activity: unknown, input: object): Promise<T> =>
  (await new MockActivityEnvironment().run(activity as never, input)) as T;

it('samples of a shard are those of the attempt that came to its end', async () => {
  const one = { statement: statement('theorem a (n : Nat) : n = n'), origin: 'dataset', samples: 2 };
  const items = await writeRecords(store, 'items.jsonl', [one]);
  const input = {
    run: 'test',
    name: 'shard',
    items,
    checkpoint: { manifest: items, model: 'm' },
    config: resolveConfig({ preset: 'smoke' }),
  };
  const sample = () => run<Sampled>(activities.sampleShard, input);
  const before = calls;
  await sample();
  await forget(directory, 'shard/sampled.json');
  const { samples } = await sample();
  expect((await readAll(store, samples, sampleSchema)).map(({ proof }) => proof.trim())).toEqual([
    `call_${before + 2}`,
  ]);
});

it('texts of conjectures are those of the attempt that came to its end', async () => {
  const origin = { kind: 'seed', lemmaStatement: null, easyStatement: 'theorem a : True', easyProof: 'trivial' };
  const entry = { prompt: 'p', seedId: 's', header: null, labels: [], lemma: null, level: 1, origin };
  const plan = await writeRecords(store, 'plan.jsonl', [entry]);
  const checkpoint = { manifest: plan, model: 'm' };
  const input = { run: 'test', name: 'round', plan, checkpoint, config: resolveConfig({ preset: 'smoke' }) };
  const sample = () => run<ArtifactRef>(activities.sampleConjectures, input);
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
  const entry = { prompt: 'p', seedId: 's', header: null, labels: [], lemma: null, level: 1, origin };
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
    [0, 1].map((share) => run<number>(activities.sampleConjectureShare, { ...input, share, of: 2 })),
  );
  expect([shares, calls - before]).toEqual([[2, 1], 3]);
  const texts = await readAll(store, await run<ArtifactRef>(activities.sampleConjectures, input), conjectureTextSchema);
  expect(calls - before).toBe(3);
  expect(texts.map(({ input: number }) => number)).toEqual(Array.from({ length: 9_000 }, (_, index) => index));
});
