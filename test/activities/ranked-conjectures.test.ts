/** Tests which of a round's conjectures come first: what earlier proofs rested on says so. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore, TriedConjecture } from '@stp/config/records';
import { CERTIFICATE, proved, statement } from '@stp/config/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConjecturesActivity } from '../../activities/host/read-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import {
  type ConjectureRecord,
  type ConjectureText,
  conjectureRecordSchema,
} from '../../activities/round/conjecture-records.ts';
import type { ReadConjectures } from '../../activities/round/gate-parts.ts';
import type { GrownRecord } from '../../activities/round/library.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { forget } from './forget.ts';
import { writeManifest } from './manifests.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-ranked-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const TARGET = 'theorem target (n m : Nat) : f n m = g n m';
const FOUND = { statements: 1, isCore: false };
const commutes = (name: string): string => `(n : Nat) (m : Nat) : ${name} n m = ${name} m n`;
const repeats = (name: string): string => `(n : Nat) : ${name} (${name} n) = ${name} n`;
const origin = { kind: 'target', targetStatement: TARGET } as const;

/** A round that attempted equations of both shapes; later proofs rest on those that commute. */
async function roundBefore(): Promise<ArtifactRef> {
  const texts = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? commutes(`c${at}`) : repeats(`r${at}`)));
  const conjectures = texts.map(
    (text, at): ConjectureRecord => ({
      ...statement(`theorem tried${at} ${text}`, { id: `tried${at}`, name: `tried${at}` }),
      ...{ seedId: 'target', lemma: null, round: 1, origin, found: FOUND },
    }),
  );
  const library = conjectures.map(
    ({ id, statement: text }, at): GrownRecord => ({
      ...{ name: `Grown.g${at + 1}`, round: 1, generation: 1, origin: 'conjecture', statementId: id, header: null },
      ...{ statement: text, proof: 'trivial', premises: [], restsOn: [], marks: [] },
    }),
  );
  const restsOn = library.filter((_, at) => at % 2 === 0).map(({ name }) => name);
  return writeManifest(store, 'rounds/1', {
    round: 1,
    conjectures: await writeRecords(store, 'rounds/1/conjectures.jsonl', conjectures),
    library: await writeRecords(store, 'rounds/1/library.jsonl', library),
    proved: [proved('theorem later : True', 'simp', { certificate: { ...CERTIFICATE, restsOn } })],
  });
}

const TEXTS: Omit<ConjectureText, 'input'>[] = [
  ...[1, 2, 3, 4].map((at) => ({ text: repeats(`p${at}`), found: FOUND })),
  ...[5, 6].map((at) => ({ text: commutes(`p${at}`), found: FOUND })),
  // The model wrote it.
  { text: commutes('w') },
];
const nameIn = ({ statement: text }: ConjectureRecord): string => /\) : ([a-z]\d*)/.exec(text)![1]!;

interface Given {
  readonly share?: number;
  readonly attemptsMax?: number;
  readonly history?: readonly ArtifactRef[];
  readonly tried?: readonly TriedConjecture[];
  readonly texts?: typeof TEXTS;
}

async function read({ share = 0.5, attemptsMax = 4, history = [], tried, texts: written = TEXTS }: Given) {
  const set = { 'conjectures.rankedShare': share, 'conjectures.perRoundMax': attemptsMax };
  const config = resolveConfig({ preset: 'embedded', set });
  const empty = await writeRecords(store, 'empty.jsonl', []);
  const entry = { prompt: '', seedId: 'target', header: null, labels: [], lemma: null, origin };
  const plan = await writeRecords(
    store,
    'plan.jsonl',
    [...written.keys()].map(() => entry),
  );
  const texts = await writeRecords(
    store,
    'texts.jsonl',
    written.map((text, input) => ({ input, ...text })),
  );
  const triedConjectures = tried === undefined ? undefined : await writeRecords(store, 'tried.jsonl', tried);
  const data = { train: empty, theorems: empty, heldOutKeys: empty, triedConjectures };
  const input = {
    run: 'r',
    round: 2,
    name: 'rounds/2',
    config,
    data,
    history,
    library: null,
    replayFrom: 0,
    plan,
    texts,
  };
  const ports = { store: async () => store, sources: repositorySources() };
  const activity = readConjecturesActivity(ports).readConjectures as never;
  const result = (await new MockActivityEnvironment().run(activity, input)) as unknown as ReadConjectures;
  const records = (await Promise.all(result.parts.map((part) => readAll(store, part, conjectureRecordSchema)))).flat();
  return { ...result, order: records.map((one) => `${nameIn(one)} ${one.chosenBy ?? '-'}`) };
}

it('half of what is attempted is what looks like conjectures that paid; the rest keeps exploration’s order', async () => {
  const { order, ranker } = await read({ attemptsMax: 3, history: [await roundBefore()] });
  const [first, , third] = order;
  expect([first, third].toSorted()).toEqual(['p5 ranked', 'p6 ranked']);
  expect([order[1], order[3]]).toEqual(['p1 order', 'p2 order']);
  expect(order).toContain('w written');
  expect(ranker).toEqual({ examples: 12, paying: 6 });
});

it('what the model wrote comes first, for a quarter of the places, whatever the ranker says of it', async () => {
  const texts = [
    ...TEXTS.filter(({ found }) => found !== undefined),
    ...['w1', 'w2'].map((name) => ({ text: repeats(name) })),
  ];
  const { order } = await read({ share: 1, history: [await roundBefore()], texts });
  expect(order[0]).toMatch(/^w\d written$/);
  expect(order.slice(1, 3).toSorted()).toEqual(['p5 ranked', 'p6 ranked']);
});

it('without a run of before, what came of conjectures over the library decides', async () => {
  const example = (text: string, pays: boolean): TriedConjecture => ({
    ...{ target: TARGET, statement: `theorem t ${text}`, found: FOUND, pays },
  });
  const tried = ['a', 'b', 'd'].flatMap((name) => [example(repeats(name), false), example(commutes(name), true)]);
  const { order } = await read({ share: 1, tried });
  expect(order.slice(0, 3).toSorted()).toEqual(['p5 ranked', 'p6 ranked', 'w written']);
});

it.each([
  ['no example', []],
  [
    'examples that all failed',
    [{ target: TARGET, statement: `theorem t ${commutes('a')}`, found: FOUND, pays: false }],
  ],
])('with %s the order is exploration’s, and nobody is said to have chosen', async (_, tried) => {
  const { order, ranker } = await read({ tried });
  expect(order).toEqual(['p1 -', 'p2 -', 'p3 -', 'p4 -', 'p5 -', 'p6 -', 'w -']);
  expect(ranker).toEqual({ examples: tried.length, paying: 0 });
});

it('where all that was found is attempted, nothing is chosen', async () => {
  const { order } = await read({ attemptsMax: 7, history: [await roundBefore()] });
  expect(order[0]).toBe('p1 -');
});

it('is the same bit for bit after an attempt that was lost', async () => {
  const history = [await roundBefore()];
  const first = await read({ history });
  await forget(directory, 'rounds/2/read.json');
  expect(await read({ history })).toEqual(first);
});
