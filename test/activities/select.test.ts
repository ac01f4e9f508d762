/**
 * Selection over a real store, from shards to training sets: a synthetic round whose figures are known beforehand,
 * repeated texts included. Costs about 8 s.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RunConfig, resolveConfig } from '@stp/config';
import {
  type ArtifactRef,
  exampleSchema,
  type ObjectStore,
  provedSchema,
  type RoundManifest,
  rateSchema,
  sampleSchema,
} from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseConjecturesActivity } from '../../activities/control/choose-conjectures.ts';
import { collectRoundActivity } from '../../activities/control/collect-round.ts';
import type { Finished } from '../../activities/control/finish-round.ts';
import { finishRoundActivity } from '../../activities/control/finish-round.ts';
import { joinPassesActivity } from '../../activities/control/join-passes.ts';
import { retrainSetActivity } from '../../activities/control/retrain-set.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import type { Collected } from '../../activities/round/collected.ts';
import { bestRates, readManifests, replayWindow } from '../../activities/run/history.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { expectedCounts } from './expected-counts.ts';
import { selectionConfig } from './measured-selection.ts';
import { type SyntheticRound, writeSyntheticRound } from './synthetic-round.ts';

const SAMPLES = 6_400;
let directory: string;
let store: ObjectStore;
const openAt = async (name: string): Promise<ObjectStore> => openStore(pathToFileURL(join(directory, name)).href);
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-select-'));
  store = await openAt('store');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const run = <A, R>(activity: (input: A) => Promise<R>, input: A): Promise<R> =>
  new MockActivityEnvironment().run(activity, input) as Promise<R>;
const activities = () => {
  const ports = { store: async () => store, scratch: async () => directory, sources: repositorySources() };
  return {
    ...collectRoundActivity(ports),
    ...joinPassesActivity(ports),
    ...chooseConjecturesActivity(ports),
    ...finishRoundActivity(ports),
    ...retrainSetActivity(ports),
  };
};

interface Played extends Finished {
  readonly collected: Collected;
  readonly retrain: ArtifactRef;
}

async function play(round: SyntheticRound, more: { history?: ArtifactRef[]; name?: string } = {}): Promise<Played> {
  const { shards, conjectures } = round;
  const context = { ...round.context, ...more };
  const { collectRound, chooseConjectures, finishRound, retrainSet } = activities();
  const collected = await run(collectRound, { ...context, shards, conjectures });
  const chosen = await run(chooseConjectures, {
    ...context,
    conjectures,
    rates: collected.rates,
    proved: collected.proved,
  });
  const finished = await run(finishRound, {
    ...context,
    modelIn: 'm',
    shards,
    conjectures,
    conjecturesMade: conjectures.count,
    gate: {},
    ...collected,
    conjecturesKept: chosen.chosen,
    conjecturesMatched: chosen.chosen,
  });
  const history = [...(more.history ?? []), finished.manifest];
  return {
    collected,
    ...finished,
    retrain: await run(retrainSet, { ...context, name: `${context.name}-retrain`, history }),
  };
}
const withConfig = (round: SyntheticRound, set: Record<string, unknown>): SyntheticRound => {
  const config: RunConfig = resolveConfig({
    preset: 'stp-code',
    set: { 'conjectures.inelegantShare': 0, 'conjectures.transport': null, ...set },
  });
  return { ...round, context: { ...round.context, config } };
};
const write = (statementsPerShard = 37) => writeSyntheticRound(store, selectionConfig, SAMPLES, statementsPerShard);

describe('a round', () => {
  it('has the counts that the rule of its samples gives', async () => {
    const { counts, retrain, collected } = await play(await write());
    const { retrained, ...expected } = expectedCounts(SAMPLES, selectionConfig);
    expect(counts).toMatchObject({ ...expected, provedEver: expected.provedThisRound });
    expect(retrain.count).toBe(retrained);
    expect((await readAll(store, collected.rates, rateSchema)).every((rate) => rate.attempts >= 31)).toBe(true);
  });

  it('tells what scripts alone have proved, where it uses them', async () => {
    const plain = await play(withConfig(await write(), {}));
    expect(plain.counts.provedByScripts).toBeUndefined();
    store = await openAt('scripts');
    const { counts } = await play(withConfig(await write(), { 'prover.scripts': 'unproved' }));
    expect(counts.provedByScripts).toEqual({ statements: 0, conjectures: 0 });
    store = await openAt('by-scripts');
    const round = withConfig(await write(), { 'prover.scripts': 'unproved' });
    const shards = await Promise.all(
      round.shards.map(async (shard, index) => {
        const samples = await readAll(store, shard.samples, sampleSchema);
        const scripts = samples.map((sample) => ({ ...sample, model: 'scripts' }));
        return { ...shard, samples: await writeRecords(store, `scripts-${index}-*.jsonl`, scripts) };
      }),
    );
    const scripted = await play({ ...round, shards });
    const { provedThisRound, conjecturesProved } = scripted.counts;
    expect(scripted.counts.provedByScripts).toEqual({ statements: provedThisRound, conjectures: conjecturesProved });
  });

  it('trains on the same examples for any order and size of its shards', async () => {
    const first = await play(await write());
    const home = store;
    store = await openAt('other');
    const other = await write(11);
    const [shuffled] = fc.sample(fc.shuffledSubarray([...other.shards], { minLength: other.shards.length }), {
      numRuns: 1,
      seed: 1,
    });
    const second = await play({ ...other, shards: shuffled! });
    expect(second.counts).toEqual({ ...first.counts });
    for (const [a, b] of [
      [first.examples!, second.examples!],
      [first.retrain, second.retrain],
    ] as const)
      expect((await store.get(b)).equals(await home.get(a))).toBe(true);
  });

  it('gives the same bytes when it is done again', async () => {
    const round = await write();
    const first = await play(round);
    const home = store;
    expect(await play(round)).toEqual(first);
    // The same from nothing, as after a kill before the last object was written.
    store = await openAt('again');
    const again = await play(await write());
    const plain = ({ counts }: Played) => counts;
    expect(plain(again)).toEqual(plain(first));
    expect(again.collected.proved.crc32c).toBe(first.collected.proved.crc32c);
    expect((await store.get(again.examples!)).equals(await home.get(first.examples!))).toBe(true);
  });

  it('says of every proof where it comes from', async () => {
    const { collected } = await play(await write());
    const proofs = await readAll(store, collected.proved, provedSchema);
    expect(new Set(proofs.map(({ origin }) => origin))).toEqual(new Set(['dataset', 'conjecture']));
    const [proof] = proofs;
    expect(proof).toMatchObject({ model: 'synthetic', round: 1, certificate: { leanVersion: 'test' } });
    expect(new Set(proofs.map((one) => `${one.statementId} ${one.proof}`)).size).toBe(proofs.length);
  });

  it('is the same when its shards are counted in two passes', async () => {
    const { shards, conjectures, context } = await write();
    const { collectRound, joinPasses } = activities();
    const pass = async (name: string, own: typeof shards) => {
      return run(collectRound, { ...context, name, shards: own, conjectures });
    };
    const whole = await pass('whole', shards);
    const passes = [await pass('first', shards.slice(0, 1)), await pass('second', shards.slice(1))];
    const joined = await run(joinPasses, { run: 'test', name: 'joined', passes });
    expect(joined.disagreements).toBe(0);
    expect(await readAll(store, joined.rates, rateSchema)).toEqual(await readAll(store, whole.rates, rateSchema));
    const proofs = await readAll(store, joined.proved, provedSchema);
    expect(proofs).toEqual(await readAll(store, whole.proved, provedSchema));
    expect(proofs.length).toBeGreaterThan(100);
  });

  it('refuses a sample of a statement that its shard does not have', async () => {
    const round = await write();
    const [first, second] = round.shards;
    const mixed = { ...first!, samples: second!.samples };
    const { collectRound } = activities();
    await expect(run(collectRound, { ...round.context, shards: [mixed], conjectures: null })).rejects.toMatchObject({
      code: 'STP1402',
      message: expect.stringContaining('not in the shard'),
    });
  });

  it('keeps at most so many proofs of a statement', async () => {
    const round = withConfig(await write(), { 'selection.proofsPerStatementMax': 3, 'selection.proverBandMax': 1 });
    const { examples } = await play(round);
    const all = (await readAll(store, examples!, exampleSchema)).filter((example) => example.role === 'prover');
    const sizes = [...Map.groupBy(all, (example) => example.prompt).values()].map((group) => group.length);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBe(3);
  });
});

describe('the replay window', () => {
  it('adds the proofs of earlier rounds to a round that found none', async () => {
    const first = await play(await write());
    const empty = await writeRecords(store, 'nothing.jsonl', []);
    const round = await write();
    const finish = (replayFrom: number, name: string) =>
      run(activities().finishRound, {
        ...round.context,
        round: 2,
        name,
        history: [first.manifest],
        replayFrom,
        modelIn: 'm',
        shards: [],
        conjectures: null,
        conjecturesMade: 0,
        gate: {},
        rates: empty,
        ...{ proved: empty, disagreements: 0 },
        conjecturesKept: null,
        conjecturesMatched: null,
      });
    const replayed = await finish(0, 'rounds/2-replayed');
    expect(replayed.counts).toMatchObject({
      proverExamples: first.counts.proverExamples,
      provedThisRound: 0,
      provedEver: first.counts.provedThisRound,
    });
    // A retraining after round 1 empties the window: nothing is left to train on, what was proved stays proved.
    const emptied = await finish(2, 'rounds/2-emptied');
    expect(emptied).toMatchObject({
      examples: null,
      counts: { proverExamples: 0, provedEver: first.counts.provedEver },
    });
  });

  it.each([
    [3, 0, [5, 4]],
    [1, 0, []],
    [null, 0, [5, 4, 2, 1, 0]],
    [null, 4, [5, 4]],
    [3, 5, [5]],
    [3, 6, []],
  ])('of %s rounds from round %i on, round 3 skipped: %j', (replayRounds, replayFrom, expected) => {
    const earlier = [0, 1, 2, 4, 5].map((round) => ({ round }) as RoundManifest);
    expect(replayWindow(earlier, replayFrom, replayRounds).map(({ round }) => round)).toEqual(expected);
  });
});

it('a statement counts as proved at its best rate of the rounds that certified it', async () => {
  const rates = async (name: string, successes: number, attempts: number) => {
    const rate = { statementId: 's', origin: 'dataset', attempts, successes };
    return { rates: await writeRecords(store, name, [rate]) };
  };
  const manifests = [await rates('a.jsonl', 4, 8), await rates('b.jsonl', 1, 10)];
  expect(await bestRates(store, manifests)).toEqual(new Map([['s', 0.5]]));
  expect(await readManifests(store, [])).toEqual([]);
});
