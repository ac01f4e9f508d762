/** Tests what a round attempts: statements by their rates, conjectures, and canaries that the seed chooses. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore, Statement } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { type WorkItem, workItemSchema } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planShardsActivity, shardSize } from '../../activities/control/plan-shards.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { type RoundSpec, writeManifest } from './manifests.ts';

let directory: string;
let store: ObjectStore;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-plan-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const TRAIN = Array.from({ length: 20 }, (_, index) => statement(`theorem s (n : Nat) : n + ${index} = n`));
const CANARIES = Array.from({ length: 16 }, (_, index) => statement(`theorem c (n : Nat) : n * ${index + 2} = n`));

let plans = 0;
/** Shards of a round, each with its items. */
async function plan(
  round: number,
  earlier: readonly RoundSpec[] = [],
  set: Record<string, number> = {},
  environment = new MockActivityEnvironment(),
  train: readonly Statement[] = TRAIN,
  more: object = {},
) {
  const own = `plan-${plans++}`;
  const history: ArtifactRef[] = [];
  for (const spec of earlier) history.push(await writeManifest(store, `${own}/rounds/${spec.round}`, spec));
  const ports = { store: async () => store, scratch: async () => directory };
  const planned = await environment.run(planShardsActivity(ports).planShards as never, {
    run: 'test',
    round,
    name: own,
    config: resolveConfig({ preset: 'stp-code', set: { 'sampling.statementsPerShard': 7, ...set } }),
    data: {
      train: await writeRecords(store, `${own}-train.jsonl`, train),
      canaries: await writeRecords(store, 'canaries.jsonl', CANARIES),
    },
    history,
    replayFrom: 0,
    library: null,
    conjectures: null,
    ...more,
  });
  const shards: WorkItem[][] = [];
  for (const ref of (planned as { shards: ArtifactRef[] }).shards)
    shards.push(await readAll(store, ref, workItemSchema));
  return shards;
}
const idsOf = (shards: readonly WorkItem[][], origin: WorkItem['origin']): string[] =>
  shards.flatMap((items) => items.filter((item) => item.origin === origin).map((item) => item.statement.id));
const rated = (index: number, successes: number, attempts: number) => ({
  statementId: TRAIN[index]!.id,
  origin: 'dataset' as const,
  successes,
  attempts,
});

it('without seeds a round attempts every dataset statement, in shards of the configured size', async () => {
  const shards = await plan(0);
  expect(shards.map((items) => items.length)).toEqual([7, 7, 7, 5]);
  expect(idsOf(shards, 'dataset').sort()).toEqual(TRAIN.map(({ id }) => id).sort());
  expect(idsOf(shards, 'conjecture')).toEqual([]);
});

it('round 0 has its own number of samples', async () => {
  const samples = (shards: readonly WorkItem[][]) => new Set(shards.flat().map((item) => item.samples));
  expect(samples(await plan(0))).toEqual(new Set([64]));
  expect(samples(await plan(1))).toEqual(new Set([32]));
});

it('false statements ride in every round: six, others in another round, the same for the same seed', async () => {
  const first = idsOf(await plan(1), 'canary');
  expect(first).toHaveLength(6);
  expect(new Set(first).size).toBe(6);
  expect(idsOf(await plan(1), 'canary')).toEqual(first);
  expect(idsOf(await plan(2), 'canary').sort()).not.toEqual(first.toSorted());
  expect(idsOf(await plan(1, [], { seed: 99 }), 'canary').sort()).not.toEqual(first.toSorted());
});

it('statements under one header follow each other, in an order of their own; false statements are among all of them', async () => {
  const headers = ['import A', 'import B', 'import C'];
  const train = TRAIN.map((one, index) => ({ ...one, header: headers[index % 3]! }));
  const shards = await plan(1, [], {}, undefined, train);
  const items = shards.flat();
  const order = items.filter(({ origin }) => origin === 'dataset').map(({ statement: { header } }) => header);
  expect(order).toHaveLength(20);
  expect(order.filter((header, index) => header !== order[index - 1])).toHaveLength(3);
  expect(order.filter((header) => header === 'import A')).toHaveLength(7);
  const indices = items.flatMap(({ origin }, index) => (origin === 'canary' ? [index] : []));
  expect(indices).toHaveLength(6);
  for (const [index, at] of indices.entries()) expect(at - (indices[index - 1] ?? -3)).toBeLessThanOrEqual(5);
  const ids = (of: readonly WorkItem[][]): string[] => idsOf(of, 'dataset');
  expect(ids(await plan(2, [], {}, undefined, train))).not.toEqual(ids(shards));
  expect(ids(await plan(1, [], {}, undefined, train))).toEqual(ids(shards));
});

it('what was proved often enough is left out, but for a few', async () => {
  const rates = TRAIN.map((_, index) => rated(index, index < 4 ? 11 : 32, 32));
  const attempted = idsOf(await plan(1, [{ round: 0, rates }], { 'selection.reattemptProbability': 0 }), 'dataset');
  // 11 of 32 is below 0.35.
  expect(attempted.sort()).toEqual(
    TRAIN.slice(0, 4)
      .map(({ id }) => id)
      .sort(),
  );
});

it('conjectures that are tried by themselves come with false statements too, and with no others', async () => {
  const typed = { seedId: 's', lemma: null, round: 1 };
  const own = ['one', 'two'].map((id) => ({
    ...TRAIN[0]!,
    id,
    name: id,
    ...typed,
    origin: { kind: 'target', targetStatement: 'theorem s : True' },
  }));
  const conjectures = await writeRecords(store, 'conjectures.jsonl', own);
  const both = await plan(1, [], {}, undefined, TRAIN, { conjectures });
  expect(both.flat()).toHaveLength(28);
  const alone = await plan(1, [], { 'sampling.samplesPerConjecture': 3 }, undefined, TRAIN, {
    conjectures,
    statements: false,
  });
  expect(idsOf(alone, 'dataset')).toEqual([]);
  expect(idsOf(alone, 'canary').sort()).toEqual(idsOf(both, 'canary').sort());
  expect(alone.flat().map(({ samples }) => samples)).toEqual(Array(8).fill(3));
  expect(idsOf(alone, 'conjecture').sort()).toEqual(['one', 'two']);
});

it('a round has no more shards than its results may be together in one payload', () => {
  expect(shardSize(20, 7)).toBe(7);
  expect(shardSize(0, 7)).toBe(0);
  expect(shardSize(7_000, 7)).toBe(7);
  // Two shards of 64 and none of 100 beside one of 28.
  expect(shardSize(128, 100)).toBe(64);
  expect(shardSize(7_000, 7, 2)).toBe(14);
  expect(Math.ceil(5_000_000 / shardSize(5_000_000, 24))).toBeLessThanOrEqual(1_000);
});

it('a cancelled plan ends', async () => {
  const environment = new MockActivityEnvironment();
  environment.cancel();
  await expect(plan(0, [], {}, environment)).rejects.toThrow('cancelled');
});
