/**
 * Tests the way from earlier rounds to the conjecturer's prompts, and from its texts through the gate to the round's
 * conjectures.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { ArtifactRef, ObjectStore, Rate } from '@stp/config/records';
import { libraryTheorem, proved, statement } from '@stp/config/testing';
import type { Verifier } from '@stp/lean-verifier';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gated } from '../../activities/control/admit-conjectures.ts';
import { admitConjecturesActivity } from '../../activities/control/admit-conjectures.ts';
import { planConjecturesActivity } from '../../activities/host/plan-conjectures.ts';
import { readConjecturesActivity } from '../../activities/host/read-conjectures.ts';
import { gateConjecturesActivity } from '../../activities/lean/gate-conjectures.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { conjecturePlanSchema, conjectureRecordSchema } from '../../activities/round/conjecture-records.ts';
import type { GatedPart, ReadConjectures } from '../../activities/round/gate-parts.ts';
import type { GrownRecord } from '../../activities/round/library.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { forget } from './forget.ts';
import { writeManifest } from './manifests.ts';

let directory: string;
let store: ObjectStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-conjecture-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Lean's answers, by a word in the statement: `ill` does not elaborate, `easy` is trivial, and so on. */
const asked: string[] = [];
let leanRuns = true;
const verifier: Pick<Verifier, 'check' | 'checkStatements'> = {
  async checkStatements(statements) {
    return statements.map(({ id, statement: text }) => ({
      id,
      kind: leanRuns ? (/ill/.test(text) ? 'rejected' : /evil/.test(text) ? 'forbidden' : 'accepted') : 'infra',
      messages: [],
    }));
  },
  async check(candidates, options) {
    expect(options).toMatchObject({ smallLimitsOnly: true });
    return candidates.map(({ id, statement: text, proof }) => {
      const question = /exfalso/.test(proof) ? 'vacuous' : /refutation/.test(text) ? 'refutable' : 'trivial';
      asked.push(`${question} ${/easy|empty|wrong|good\d*/.exec(text)?.[0]}`);
      const holds =
        (question === 'trivial' && /easy/.test(text)) ||
        (question === 'vacuous' && /empty/.test(text)) ||
        (question === 'refutable' && /wrong/.test(text));
      const facts = { messages: [], premises: [], axioms: [], checkMs: 2, fromCache: false };
      return { id, kind: holds ? 'proved' : 'rejected', ...facts };
    });
  },
};
let monitorFails = false;
const ports = () => ({
  store: async () => store,
  sources: repositorySources(),
  verifier: async () => verifier,
  monitor: async () => ({
    log: async () => {
      if (monitorFails) throw new Error('no disk for metrics');
    },
  }),
});

const EASY = statement('theorem a (n : Nat) : n = n', { labels: ['first', 'first/a'] });
const OPEN = statement('theorem b (n : Nat) : n * n = n ^ 2', { labels: ['second', 'second/b'] });
const rate = (statementId: string, successes: number, attempts: number): Rate => ({
  statementId,
  origin: 'dataset',
  attempts,
  successes,
});

async function context(set: Record<string, string | number | boolean> = {}, weights = {}) {
  const plain = resolveConfig({ preset: 'stp-code', set: { 'conjectures.perRoundMax': 6, ...set } });
  const config = { ...plain, data: { ...plain.data, weights } };
  const empty = await writeRecords(store, 'empty.jsonl', []);
  const train = await writeRecords(store, 'train.jsonl', [
    EASY,
    OPEN,
    ...Array.from({ length: 18 }, (_, i) => statement(`theorem c (n : Nat) : n + ${i} = n`)),
  ]);
  const theorem = libraryTheorem('Stp.l', { statement: 'theorem l (n : Nat) : n + 0 = n' });
  const theorems = await writeRecords(store, 'theorems.jsonl', [theorem]);
  const data = { train, theorems, heldOutKeys: empty, heldOut: empty, canaries: empty };
  return {
    run: 'test',
    round: 2,
    name: 'rounds/2',
    config,
    data,
    history: [] as ArtifactRef[],
    replayFrom: 0,
    library: null as ArtifactRef | null,
  };
}
type Context = Awaited<ReturnType<typeof context>>;

describe('planning conjectures', () => {
  const plan = async (input: Context) => {
    const ref = await new MockActivityEnvironment().run(
      planConjecturesActivity(ports()).planConjectures as never,
      input,
    );
    return ref === null ? null : readAll(store, ref as unknown as ArtifactRef, conjecturePlanSchema);
  };
  const seed = proved(EASY.statement, 'exact l n', { premises: ['Grown.g1', 'Stp.l', 'Other'] });
  const history = async (successes: number) => [
    await writeManifest(store, 'rounds/0', { round: 0, proved: [seed], rates: [rate(EASY.id, successes, 100)] }),
  ];

  it('starts from proved statements and the lemmas that their proofs name', async () => {
    const input = await context({ 'conjectures.conditionOn.noLemmaProbability': 1 });
    const entries = await plan({ ...input, history: await history(36) });
    expect(new Set(entries!.map(({ lemma, prompt }) => `${lemma} ${prompt}`))).toEqual(
      new Set([
        'Stp.l <lemma>(n : Nat) : n + 0 = n<easy>(n : Nat) : n = n<by>exact l n<hard>',
        'null <lemma>True<easy>(n : Nat) : n = n<by>exact l n<hard>',
      ]),
    );
    // Three texts for each wanted conjecture are eighteen copies, but each of the two inputs has at most eight copies.
    expect(entries).toHaveLength(16);
    expect(entries![0]).toMatchObject({ seedId: EASY.id, origin: { kind: 'seed', easyProof: 'exact l n' } });
  });
  it('repeats a seed by the matching weight of its set', async () => {
    const weights = { first: [{ fromRound: 1, weight: 4 }] };
    const input = await context(
      { 'conjectures.conditionOn.noLemmaProbability': 0, 'conjectures.copiesMax': 1 },
      weights,
    );
    expect(await plan({ ...input, history: await history(36) })).toHaveLength(4);
  });
  it('has nothing to start from before anything is proved often enough', async () => {
    expect(await plan(await context())).toBeNull();
    expect(await plan({ ...(await context()), history: await history(35) })).toBeNull();
  });
  it('knows the theorems that earlier rounds added to the library as lemmas', async () => {
    const grown: GrownRecord = {
      name: 'Grown.g1',
      round: 1,
      generation: 0,
      origin: 'conjecture',
      statementId: 'x',
      header: null,
      statement: 'theorem x (n : Nat) : 0 + n = n',
      proof: 'simp',
      premises: [],
      marks: [],
    };
    const input = await context({ 'conjectures.conditionOn.noLemmaProbability': 0 });
    const library = await writeRecords(store, 'library.jsonl', [grown]);
    const entries = await plan({ ...input, library, history: await history(36) });
    expect(new Set(entries!.map(({ prompt }) => prompt.split('<easy>')[0]))).toEqual(
      new Set(['<lemma>(n : Nat) : 0 + n = n', '<lemma>(n : Nat) : n + 0 = n']),
    );
  });
  it('starts from unproved statements where it is conditioned on targets', async () => {
    const input = await context({ 'conjectures.conditionOn.kind': 'unproved-target', 'conjectures.copiesMax': 1 });
    const entries = (await plan({ ...input, history: await history(36) }))!;
    expect(entries.map(({ seedId }) => seedId)).not.toContain(EASY.id);
    expect(entries.find(({ seedId }) => seedId === OPEN.id)?.prompt ?? '<hard>(n : Nat) : n * n = n ^ 2<easy>').toBe(
      '<hard>(n : Nat) : n * n = n ^ 2<easy>',
    );
    expect(entries).toHaveLength(18);
  });
});

describe('the gate', () => {
  const gate = async (
    texts: readonly string[],
    set: Record<string, string | number | boolean> = {},
    name = 'rounds/2',
    partsAsked = Infinity,
    history: readonly ArtifactRef[] = [],
    headers: readonly (string | null)[] = [],
  ) => {
    asked.length = 0;
    const plain = await context({
      'conjectures.gate.refuseTrivial': true,
      'conjectures.gate.refuseVacuous': true,
      'conjectures.gate.refuseRefutable': true,
      ...set,
    });
    const input = { ...plain, name, history };
    const origin = { kind: 'seed' as const, lemmaStatement: null, easyStatement: EASY.statement, easyProof: 'rfl' };
    const entry = { prompt: '', seedId: EASY.id, header: null, labels: ['conjecture'], lemma: null, origin };
    const plan = await writeRecords(
      store,
      `${name}/plan.jsonl`,
      texts.map((_, index) => ({ ...entry, header: headers[index] ?? null })),
    );
    const written = texts.map((text, index) => ({ input: index, text }));
    const activities = {
      ...readConjecturesActivity(ports()),
      ...gateConjecturesActivity(ports()),
      ...admitConjecturesActivity(ports()),
    };
    const run = <T>(activity: unknown, given: unknown): Promise<T> =>
      new MockActivityEnvironment().run(activity as never, given);
    const ref = await writeRecords(store, `${name}/texts-*.jsonl`, written);
    const read = await run<ReadConjectures>(activities.readConjectures, { ...input, plan, texts: ref });
    const gated: (GatedPart | null)[] = [];
    for (const [index, conjectures] of read.parts.entries())
      gated.push(
        index >= partsAsked
          ? null
          : await run(activities.gateConjectures, { ...input, name: `${name}/gate-${index}`, conjectures }),
      );
    const admitted = await run<Gated>(activities.admitConjectures, { ...input, read, gated });
    return { ...admitted, records: await readAll(store, admitted.conjectures, conjectureRecordSchema) };
  };
  const GOOD = '(n : Nat) (h : 0 < n) : good n = 1';

  it('counts why each text went no further, each question asked of those still standing', async () => {
    const { counts, made, records } = await gate([
      'no statement',
      '(n : Nat) : n = n',
      '(m : Nat) : m + 0 = m',
      GOOD,
      '(k : Nat) (g : 0 < k) : good k = 1',
      '(n : Nat) : ill n',
      '(n : Nat) : evil n',
      '(n : Nat) (h : 0 < n) : easy n = 1',
      '(n : Nat) (h : 0 < n) : empty n = 1',
      '(n : Nat) (h : 0 < n) : wrong n = 1',
    ]);
    expect(made).toBe(10);
    expect(counts).toEqual({
      unparsable: 1,
      duplicate: 3,
      'not-elaborating': 1,
      forbidden: 1,
      trivial: 1,
      vacuous: 1,
      refutable: 1,
      accepted: 1,
    });
    expect(records.map(({ statement: text }) => text.replace(/conjecture_\w+/, 'c'))).toEqual([`theorem c ${GOOD}`]);
    expect(asked.filter((one) => one.startsWith('vacuous'))).toEqual(['vacuous good', 'vacuous empty']);
  });
  it('asks no question that is switched off', async () => {
    const off = Object.fromEntries(
      ['Trivial', 'Vacuous', 'Refutable'].map((name) => [`conjectures.gate.refuse${name}`, false]),
    );
    const { counts } = await gate(['(n : Nat) (h : 0 < n) : easy n = 1', '(n : Nat) : wrong n = 1'], off);
    expect(counts).toEqual({ accepted: 2 });
    expect(asked).toEqual([]);
  });
  it.each([2, 3])('lets through no more than there are places where %i of 3 parts were asked', async (partsAsked) => {
    const texts = Array.from({ length: 1_100 }, (_, index) => `(n : Nat) : good${index} n = 1`);
    const { counts, records, made } = await gate(texts, { 'conjectures.perRoundMax': 600 }, 'rounds/2', partsAsked);
    expect(counts).toEqual({ accepted: 600, 'over-cap': 500 });
    expect(records.map(({ statement: text }) => /good\d+/.exec(text)![0])).toEqual(
      Array.from({ length: 600 }, (_, index) => `good${index}`),
    );
    expect(made).toBe(1_100);
    expect(asked.filter((one) => one.startsWith('trivial'))).toHaveLength(partsAsked === 2 ? 1_024 : 1_100);
  });
  it('tries an earlier conjecture without a proof again where the library grows, after all that are new', async () => {
    const OLD = '(n : Nat) : good2 n = 2';
    const DONE = '(n : Nat) : good3 n = 3';
    const earlier = await gate([OLD, DONE], {}, 'rounds/1');
    const done = earlier.records.find(({ statement: text }) => text.includes('good3'))!;
    const conjectures = await writeRecords(store, 'rounds/1/conjectures.jsonl', earlier.records);
    const history = [await writeManifest(store, 'rounds/1', { round: 1, conjectures, rates: [rate(done.id, 1, 16)] })];
    const texts = [OLD, DONE, '(m : Nat) : good2 m = 2', GOOD];
    const grown = await gate(texts, { library: 'grow' }, 'rounds/2', Infinity, history);
    expect(grown.records.map(({ statement: text }) => /good\d*/.exec(text)![0])).toEqual(['good', 'good2']);
    expect(grown.counts).toEqual({ accepted: 2, duplicate: 2 });
    const fixed = await gate(texts, {}, 'rounds/3', Infinity, history);
    expect(fixed.records.map(({ statement: text }) => /good\d*/.exec(text)![0])).toEqual(['good']);
  });
  it('takes the same text under another header for another statement, also where the library has it for its own functions', async () => {
    const other = 'import Stp\nimport Stp.Problems.Tip2015\nopen Stp.Problems.Tip2015';
    const inLibrary = '(m : Nat) : m + 0 = m';
    const texts = [GOOD, GOOD, '(k : Nat) (g : 0 < k) : good k = 1', inLibrary, inLibrary];
    const { counts, records } = await gate(texts, {}, 'rounds/2', Infinity, [], [null, other, other, null, other]);
    expect(records.map(({ header }) => header)).toEqual([null, other, other]);
    expect(counts).toEqual({ accepted: 3, duplicate: 2 });
  });
  it('keeps its result when the monitor fails', async () => {
    monitorFails = true;
    try {
      expect((await gate([GOOD])).records).toHaveLength(1);
    } finally {
      monitorFails = false;
    }
  });
  it('goes on with what an attempt that was lost before its end has left, to the same conjectures', async () => {
    const first = await gate([GOOD]);
    expect(first.counts).toEqual({ accepted: 1 });
    for (const lost of [[], ['gated.json'], ['gate-0/gated.json', 'gated.json'], ['read.json', 'gated.json']]) {
      for (const file of lost) await forget(directory, `rounds/2/${file}`);
      expect(await gate([GOOD])).toEqual(first);
      expect(asked).toHaveLength(lost.includes('gate-0/gated.json') ? 3 : 0);
    }
  });
  it('refuses nothing where Lean cannot be run', async () => {
    leanRuns = false;
    try {
      await expect(gate([GOOD])).rejects.toMatchObject({ code: 'STP1203', retryable: true });
      expect(await store.stat('rounds/2/gated.json')).toBeNull();
    } finally {
      leanRuns = true;
    }
  });
});
