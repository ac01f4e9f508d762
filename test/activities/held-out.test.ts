/** Training never reads the held-out split: not its file, not its statements under another name. Costs about 3 s. */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { contentId } from '@stp/config/ids';
import {
  type ArtifactRef,
  exampleSchema,
  type LibraryTheorem,
  libraryTheoremSchema,
  type ObjectStore,
  statementSchema,
} from '@stp/config/records';
import { tracedProofId } from '@stp/lean-explore';
import { readSignature, statementKey } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Finished } from '../../activities/control/finish-round.ts';
import { finishRoundActivity } from '../../activities/control/finish-round.ts';
import { planShardsActivity } from '../../activities/control/plan-shards.ts';
import { prepareDataActivity } from '../../activities/control/prepare-data.ts';
import { retrainSetActivity } from '../../activities/control/retrain-set.ts';
import type { Sources } from '../../activities/ports.ts';
import { proverForms, slotKeys } from '../../activities/prover-forms.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import type { PreparedData } from '../../activities/run/prepared-data.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';

const config = resolveConfig({ preset: 'embedded' });
let directory: string;
let store: ObjectStore;
let data: PreparedData;
const read: string[] = [];

/** Notes every object that is read. */
function watched(inner: ObjectStore): ObjectStore {
  const noting =
    <Rest extends unknown[], Result>(work: (ref: ArtifactRef, ...rest: Rest) => Result) =>
    (ref: ArtifactRef, ...rest: Rest): Result => {
      read.push(ref.uri);
      return work(ref, ...rest);
    };
  return {
    ...inner,
    get: noting(inner.get.bind(inner)),
    stream: noting(inner.stream.bind(inner)),
    download: noting(inner.download.bind(inner)),
    put: inner.put.bind(inner),
    putFile: inner.putFile.bind(inner),
    stat: inner.stat.bind(inner),
    list: inner.list.bind(inner),
  };
}

const portsWith = (sources: Sources) => ({ store: async () => store, scratch: async () => directory, sources });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-split-'));
  store = watched(await openStore(pathToFileURL(directory).href));
  const { prepareData } = prepareDataActivity(portsWith(repositorySources()));
  data = await new MockActivityEnvironment().run(prepareData, 'test', config);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const heldOutKeys = async (): Promise<Set<string>> => {
  const keys = new Set<string>();
  for (const set of config.data.problemSets)
    for await (const statement of repositorySources().problemSet(set))
      if (statement.split === 'held-out') keys.add(statementKey(null, statement.statement));
  return keys;
};

describe('prepared data', () => {
  it('has training statements of the training split only', async () => {
    const train = await readAll(store, data.train, statementSchema);
    const held = await heldOutKeys();
    expect(train.length).toBeGreaterThan(100);
    expect(held.size).toBeGreaterThan(50);
    expect(train.filter((one) => one.split !== 'train' || held.has(statementKey(null, one.statement)))).toEqual([]);
  });

  it('has no held-out statement in the SFT set, in any place of a prompt or target', async () => {
    const held = await heldOutKeys();
    const examples = await readAll(store, data.sft, exampleSchema);
    expect(examples.length).toBeGreaterThan(300);
    const statementsIn = (text: string): string[] =>
      text.split(/<prove>|<by>|<lemma>|<easy>|<hard>/).filter((part) => part.includes(':'));
    for (const example of examples)
      for (const text of [...statementsIn(example.prompt), ...(example.role === 'conjecturer' ? [example.target] : [])])
        expect(held.has(statementKey(null, `theorem t ${text}`)), text).toBe(false);
  });

  it('has no theorem that is a problem once names are slots, and no prompt of one', async () => {
    const sources = repositorySources();
    const problems = (
      await Promise.all(config.data.problemSets.map((set) => Array.fromAsync(sources.problemSet(set))))
    ).flat();
    const slotKeyOf = await slotKeys(sources, config.prover);
    const sealed = new Set(problems.map(slotKeyOf));
    const theorems = await readAll(store, data.theorems, libraryTheoremSchema);
    expect(theorems.length).toBeGreaterThan(1_000);
    expect(theorems.filter((theorem) => sealed.has(slotKeyOf(theorem))).map(({ name }) => name)).toEqual([]);
    const formOf = await proverForms(sources, config.prover);
    const prompts = new Set(problems.map((problem) => formOf(problem).prompt));
    const examples = await readAll(store, data.sft, exampleSchema);
    expect(examples.filter(({ prompt }) => prompt.includes('<f0>')).length).toBeGreaterThan(1_000);
    expect(examples.filter(({ prompt }) => prompts.has(prompt))).toEqual([]);
  });

  it('has states where the prover works by steps, none of them a problem of the run', { tags: ['slow'] }, async () => {
    const sources = repositorySources();
    const theorem = (await sources.libraryTheorems()).find(({ premises }) => premises.length === 0)!;
    const [first] = (await Array.fromAsync(sources.problemSet('nng'))).filter((one) => one.split === 'held-out');
    const { binders, conclusion } = readSignature(first!.statement)!;
    const problem = { hypotheses: binders.map(({ names, type }) => ({ names, type })), target: conclusion };
    const [variable] = binders[0]!.names;
    const hide = (text: string): string => text.replace(new RegExp(`\\b${variable}\\b`, 'gu'), `${variable}✝`);
    const hidden = {
      hypotheses: problem.hypotheses.map(({ names, type }) => ({ names: names.map(hide), type: hide(type) })),
      target: hide(conclusion),
    };
    const open = { hypotheses: [{ names: ['k'], type: 'Nat' }], target: 'k * 7 + 5 = 5 + k * 7' };
    const steps = [problem, hidden, open].map((goal, index) => ({ goal, tactic: `step_${index}` }));
    const row = { theorem: theorem.name, proof: tracedProofId(theorem, theorem.proof), steps };
    const stale = { ...row, proof: 'another', steps: [{ goal: open, tactic: 'stale' }] };
    const traced = { ...sources, tracedProofs: async () => [row, stale] };
    const states = async (mode: 'whole' | 'steps' | 'both', from = traced) => {
      const run = { ...config, prover: { ...config.prover, mode } };
      const fresh = await openStore(pathToFileURL(join(directory, `states-${mode}-${randomUUID()}`)).href);
      const { prepareData } = prepareDataActivity({ ...portsWith(from), store: async () => fresh });
      const prepared: PreparedData = await new MockActivityEnvironment().run(prepareData, 'test', run);
      const examples = await readAll(fresh, prepared.sft, exampleSchema);
      const prover = examples.filter(({ role }) => role === 'prover');
      const shown = prover.filter(({ prompt }) => prompt.includes('<state>'));
      return { targets: shown.map(({ target }) => target), whole: prover.length - shown.length };
    };
    const all = await states('whole');
    expect(all).toMatchObject({ targets: [] });
    expect(await states('both')).toEqual({ targets: ['step_2'], whole: all.whole });
    expect(await states('steps')).toEqual({ targets: ['step_2'], whole: 0 });
    await expect(states('both', { ...sources, tracedProofs: async () => [] })).rejects.toMatchObject({
      code: 'STP1501',
    });
  });

  it('leaves a library theorem out that is a held-out statement under another name', async () => {
    const sources = repositorySources();
    const [first] = await Array.fromAsync(sources.problemSet('nng')).then((all) =>
      all.filter((one) => one.split === 'held-out'),
    );
    const copy: LibraryTheorem = {
      id: contentId('copy'),
      name: 'Stp.copy',
      file: 'Copy.lean',
      line: 1,
      statement: first!.statement.replace(/theorem \S+/, 'theorem copy'),
      proof: '  rfl',
      header: '',
      premises: [],
    };
    const [other] = await sources.libraryTheorems();
    const copied = portsWith({ ...sources, libraryTheorems: async () => [copy, other!] });
    const fresh = await openStore(pathToFileURL(join(directory, 'copied')).href);
    const { prepareData } = prepareDataActivity({ ...copied, store: async () => fresh });
    const prepared: PreparedData = await new MockActivityEnvironment().run(prepareData, 'test', config);
    expect(prepared.counts).toMatchObject({ libraryProofs: 1, excludedForHeldOut: 1 });
  });
});

describe('selection', () => {
  it('reads nothing of the held-out split on its way to a training set', async () => {
    const context = { run: 'test', round: 1, name: 'rounds/1-test', config, data, history: [], replayFrom: 0 };
    const activities = {
      ...planShardsActivity(portsWith(repositorySources())),
      ...finishRoundActivity(portsWith(repositorySources())),
      ...retrainSetActivity(portsWith(repositorySources())),
    };
    read.length = 0;
    const empty = await writeRecords(store, 'empty.jsonl', []);
    const run = new MockActivityEnvironment();
    await run.run(activities.planShards, { ...context, library: null, conjectures: null });
    const finished: Finished = await run.run(activities.finishRound, {
      ...context,
      library: null,
      modelIn: 'm',
      shards: [],
      conjectures: null,
      conjecturesMade: 0,
      gate: {},
      rates: empty,
      certified: { proved: empty, certified: 0, refused: 0, disagreements: 0 },
      conjecturesKept: null,
      conjecturesMatched: null,
    });
    const examples: ArtifactRef = await run.run(activities.retrainSet, {
      ...context,
      name: 'retrain/1-test',
      history: [finished.manifest],
    });
    expect((await readAll(store, examples, z.unknown())).length).toBe(data.sft.count);
    expect(read.length).toBeGreaterThan(3);
    expect(read.filter((uri) => uri.includes('held-out'))).toEqual([]);
  });
});
