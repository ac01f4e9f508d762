/** Conjectures of earlier rounds train the conjecturer by what was proved with them. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { CERTIFICATE, proved, statement } from '@stp/config/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Chosen } from '../../activities/control/choose-conjectures.ts';
import { chooseConjecturesActivity } from '../../activities/control/choose-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { chosenConjectureSchema, conjectureFiles } from '../../activities/round/chosen-conjectures.ts';
import type { ConjectureRecord } from '../../activities/round/conjecture-records.ts';
import type { GrownRecord } from '../../activities/round/library.ts';
import { conjecturerExamples } from '../../activities/round/round-examples.ts';
import { readManifests } from '../../activities/run/history.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { writeManifest } from './manifests.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-use-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const TARGET = 'theorem target (n : Nat) : n + 0 = n';
const conjecture = (id: string, typed?: string): ConjectureRecord => ({
  ...statement(`theorem ${id} (n : Nat) : n + ${id.length} = n`, { id, name: id }),
  seedId: 'target',
  lemma: null,
  round: 1,
  origin: { kind: 'target', targetStatement: TARGET },
  ...(typed === undefined ? {} : { typed: { prompt: '<hard>p<easy>', target: typed } }),
});
const grown = (number: number, statementId: string, more: Partial<GrownRecord> = {}): GrownRecord => ({
  name: `Grown.g${number}`,
  round: 1,
  generation: 1,
  origin: 'conjecture',
  statementId,
  header: null,
  statement: 'theorem g : True',
  proof: 'trivial',
  premises: [],
  marks: [],
  ...more,
});

async function choose(reward: string, ofThisRound: readonly GrownRecord[] = []) {
  const config = resolveConfig({
    preset: 'embedded',
    set: { 'conjectures.reward.kind': reward, 'conjectures.source': 'both', 'conjectures.inelegantShare': 0 },
  });
  const before = [conjecture('direct', '<f0>0=0'), conjecture('behind', '<f1>0=0'), conjecture('idle', '<f2>0=0')];
  const history = [
    await writeManifest(store, 'rounds/1', {
      round: 1,
      conjectures: await writeRecords(store, 'rounds/1/conjectures.jsonl', before),
    }),
  ];
  const conjectures = await writeRecords(store, 'rounds/2/conjectures.jsonl', [conjecture('fresh', '<f3>0=0')]);
  const library = await writeRecords(store, 'rounds/2/library.jsonl', [
    grown(1, 'behind'),
    grown(2, 'direct', { restsOn: ['Grown.g1'] }),
    grown(3, 'idle'),
    // A statement of the dataset: proofs may rest on it, but the conjecturer did not write it.
    grown(4, 'given', { origin: 'dataset' }),
    ...ofThisRound,
  ]);
  // No proof names a lemma: the marks that it opens bring them, and its compiled object says which.
  const proof = (id: string, restsOn: readonly string[], origin: 'dataset' | 'conjecture' = 'dataset') =>
    proved(`theorem ${id} : True`, 'trivial', {
      statementId: id,
      certificate: { ...CERTIFICATE, restsOn: [...restsOn] },
      origin,
    });
  const certified = await writeRecords(store, 'rounds/2/proved.jsonl', [
    proof('one', ['Grown.g2', 'Grown.g4']),
    proof('one', ['Grown.g2']),
    proof('two', ['Grown.g2']),
    ...ofThisRound.map(({ name }) => proof('three', [name])),
    proof('fresh', ['Grown.g3'], 'conjecture'),
  ]);
  const rates = await writeRecords(store, 'rounds/2/rates.jsonl', [
    { statementId: 'fresh', origin: 'conjecture', attempts: 4, successes: 1 },
  ]);
  const ports = { store: async () => store, scratch: async () => directory };
  const context = { run: 'r', round: 2, name: 'rounds/2', config, history, library, replayFrom: 0 };
  const { chosen } = (await new MockActivityEnvironment().run(chooseConjecturesActivity(ports).chooseConjectures, {
    ...context,
    data: { train: await writeRecords(store, 'train.jsonl', []) },
    conjectures,
    rates,
    proved: certified,
  } as never)) as Chosen;
  const files = conjectureFiles(config, conjectures, await readManifests(store, history));
  const examples = conjecturerExamples({ store, config, conjectures: files, chosen });
  return {
    chosen: (await readAll(store, chosen, chosenConjectureSchema)).map(({ id, weight }) => [id, weight]),
    examples: await Array.fromAsync(examples),
  };
}

it('credits what a statement was proved with, and half as much what that rests on', async () => {
  const { chosen, examples } = await choose('use');
  expect(chosen).toEqual([
    ['behind', 0.5],
    ['direct', 1],
  ]);
  expect(examples).toEqual([
    { prompt: '<hard>p<easy>', target: '<f0>0=0', weight: 1, role: 'conjecturer' },
    { prompt: '<hard>p<easy>', target: '<f1>0=0', weight: 0.5, role: 'conjecturer' },
  ]);
});

it('reaches a conjecture of the same round', async () => {
  const { chosen } = await choose('use', [grown(5, 'fresh', { round: 2, generation: 2, restsOn: ['Grown.g2'] })]);
  // 1 of the 2.5 that `direct` is worth.
  expect(chosen).toEqual([
    ['behind', 0.5],
    ['direct', 1],
    ['fresh', 0.4],
  ]);
});

it('is not given where only the band counts', async () => {
  expect((await choose('band')).chosen).toEqual([['fresh', 1]]);
});

it('is refused without lemmas that proofs could use', () => {
  const set = { 'conjectures.source': 'both', 'conjectures.reward.kind': 'use', library: 'fixed' };
  expect(() => resolveConfig({ preset: 'embedded', set })).toThrow('takes library=grow');
});

it('equations under a grammar take slots or a model that reads a question', () => {
  const withoutSlots = { 'conjectures.source': 'decode', 'prover.slots': 'false' };
  expect(() => resolveConfig({ preset: 'embedded', set: withoutSlots })).toThrow('conjectures.source: is decode');
  const { prover } = resolveConfig({ preset: 'embedded', set: { ...withoutSlots, 'prover.format': 'stp' } });
  expect(prover).toMatchObject({ slots: false, format: 'stp' });
});
