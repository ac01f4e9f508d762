/** Tests what exploration has left for later rounds: real Lean, rounds before by their manifests. */

import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeAll, expect, it } from 'vitest';
import { exploreConjecturesActivity } from '../../activities/conjecturers/explore/explore-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { type ConjecturePlan, conjectureTextSchema } from '../../activities/round/conjecture-records.ts';
import { assembledPorts } from '../support/assembled-ports.ts';
import { writeManifest } from './manifests.ts';

const { ports } = await assembledPorts();

let store: ObjectStore;
let entry: ConjecturePlan;
/** A plan over functions that `entry` has too. */
let other: ConjecturePlan;

beforeAll(async () => {
  store = await ports.store('explored');
  const problems = await Array.fromAsync(ports.sources.problemSet('isaplanner'));
  const entryOf = (named: string): ConjecturePlan => {
    const { id, header, statement } = problems.find(({ name }) => name === named)!;
    const origin = { kind: 'target', targetStatement: statement } as const;
    return { prompt: '<hard>', labels: ['conjecture'], seedId: id, header, lemma: null, origin };
  };
  // That sorting sorts: one step away from its functions lies insertion. And that it keeps the length.
  entry = entryOf('prop_78');
  other = entryOf('prop_20');
}, 280_000);

/** Returns the texts of a round that asks the statements, in rotation, for more equations than they have. */
async function texts(
  name: string,
  deeperMax: number,
  history: readonly ArtifactRef[] = [],
  entries = [entry],
): Promise<string[]> {
  const config = resolveConfig({ preset: 'embedded', set: { 'conjectures.deeperMax': `${deeperMax}` } });
  const plan = await writeRecords(
    store,
    `${name}/plan.jsonl`,
    Array.from({ length: 300 }, (_, at) => entries[at % entries.length]!),
  );
  const { exploreConjectures } = exploreConjecturesActivity(ports);
  const input = { run: 'explored', name, config, plan, history };
  const written = (await new MockActivityEnvironment().run(exploreConjectures, input)) as ArtifactRef;
  return (await readAll(store, written, conjectureTextSchema)).map(({ text }) => text);
}

/** Makes a round that attempted these statements and proved the first. */
async function askedBefore(asked: readonly string[]): Promise<ArtifactRef> {
  const { header, seedId, labels, lemma, origin } = entry;
  const conjectures = asked.map((text, index) => ({
    ...{ id: `${index}`.padStart(20, '0'), name: `c${index}`, header, statement: `theorem c${index} ${text}`, labels },
    ...{ split: 'train', weight: 1, seedId, lemma, origin, round: 1 },
  }));
  const rates = [{ statementId: conjectures[0]!.id, origin: 'conjecture', attempts: 4, successes: 1 }] as const;
  return writeManifest(store, 'before', {
    round: 1,
    conjectures: await writeRecords(store, 'before/conjectures.jsonl', conjectures),
    rates: [...rates],
  });
}

it('later rounds ask again for what was not proved, and go deeper where little is left', async () => {
  const first = await texts('rounds/1', 0);
  expect(first.length).toBeGreaterThan(2);
  const history = [await askedBefore(first.slice(0, 2))];
  expect(await texts('rounds/2', 0, history)).toEqual(first.slice(1));
  const deeper = await texts('rounds/3', 1, history);
  expect(deeper.length).toBeGreaterThan(first.length);
  expect(new Set(deeper).size).toBe(deeper.length);
  expect(deeper).not.toContain(first[0]);
});

it('what several statements have comes once, with the first whose turn it is', async () => {
  const lists = [await texts('turns/1', 0), await texts('turns/2', 0, [], [other])].map((list) => [...list]);
  const common = lists[0]!.filter((text) => lists[1]!.includes(text));
  expect(common.length).toBeGreaterThan(1);
  const expected = new Set<string>();
  for (let turn = 0; lists.some((list) => list.length > 0); turn++) {
    const list = lists[turn % 2]!;
    while (list.length > 0 && expected.has(list[0]!)) list.shift();
    if (list.length > 0) expected.add(list.shift()!);
  }
  expect(await texts('turns/both', 0, [], [entry, other])).toEqual([...expected]);
});
