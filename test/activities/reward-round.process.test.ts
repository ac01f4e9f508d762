/**
 * Tests the rewards of a round over a real store, and their training set: groups, advantages, omissions, and late
 * groups of earlier rounds. Costs about 2 s.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { policyExampleSchema, type RewardObjective, resolveConfig } from '@stp/config';
import {
  type ObjectStore,
  type Proved,
  type Sample,
  type ShardResult,
  sampleRewardSchema,
  shardFolder,
  type Verdict,
  type VerdictKind,
} from '@stp/config/records';
import { proved, statement } from '@stp/config/testing';
import { dedupeSamples, leanReward, proverPrompt, type RawSample, type RewardSource } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FinishRoundInput } from '../../activities/control/finish-round.ts';
import { finishRoundActivity } from '../../activities/control/finish-round.ts';
import type { RewardRoundInput } from '../../activities/control/reward-round.ts';
import { rewardRoundActivity } from '../../activities/control/reward-round.ts';
import { SCRIPTS_MODEL } from '../../activities/provers/scripts/portfolio.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';

const NAME = 'rounds/0-aaaaaaaa';
const config = resolveConfig({ preset: 'grpo', set: { 'prover.slots': false } });
const rewardConfig = { rewards: (config.objective as RewardObjective).rewards, seed: config.seed };
let directory: string;
let store: ObjectStore;
let asked: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-reward-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  asked = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Fails once, at the shard that is named by its folder's end. */
let failsAt: string | null = null;
const watched: RewardSource = {
  name: 'lean',
  async rewards(groups, options) {
    const folder = String(options.stream[1]);
    asked.push(folder.slice(-1));
    if (failsAt !== null && folder.endsWith(failsAt)) throw new Error('the judge is down');
    return leanReward.rewards(groups, options);
  },
};
const activities = () => {
  const ports = {
    store: async () => store,
    scratch: async () => directory,
    reward: () => watched,
    sources: repositorySources(),
  };
  return { ...rewardRoundActivity(ports), ...finishRoundActivity(ports) };
};
const run = <A, R>(activity: (input: A) => Promise<R>, input: A): Promise<R> =>
  new MockActivityEnvironment().run(activity, input) as Promise<R>;

type Drawn = readonly [text: string, kind: VerdictKind, more?: Partial<RawSample>];

/** A shard of statements, each with what was drawn for it in order. */
async function shard(
  index: number,
  items: Readonly<Record<string, readonly Drawn[]>>,
  name = NAME,
): Promise<ShardResult> {
  const folder = shardFolder(name, index);
  const statements = Object.keys(items).map((text) => statement(text));
  const raw = statements.flatMap(({ id, statement: text }) =>
    items[text]!.map(
      ([proof, , more], at): RawSample => ({
        ...{ statementId: id, index: at, text: proof, tokens: 5, logprob: -3, seed: at, finish: 'stop' as const },
        ...more,
      }),
    ),
  );
  const samples = [
    ...dedupeSamples(
      raw.filter(({ seed }) => seed < 1_000),
      'm',
    ),
    ...dedupeSamples(
      raw.filter(({ seed }) => seed >= 1_000),
      SCRIPTS_MODEL,
    ),
  ];
  const kindOf = ({ statementId, proof }: Sample): VerdictKind =>
    items[statements.find(({ id }) => id === statementId)!.statement]!.find(([text]) => text === proof)![1];
  const verdicts = samples.map(
    (sample): Verdict => ({
      ...{ sampleId: sample.id, kind: kindOf(sample), messages: [], premises: [], axioms: [], checkMs: 1 },
      ...{ leanVersion: 'test' },
    }),
  );
  const write = (file: string, records: readonly unknown[]) =>
    writeRecords(store, `${folder}/${file}.jsonl`, records as never[], new AbortController().signal);
  const origin = (text: string) => (text.includes('canary') ? 'canary' : 'dataset');
  return {
    items: await write(
      'items',
      statements.map((own) => ({ statement: own, samples: 4, origin: origin(own.statement) })),
    ),
    samples: await write('samples', samples),
    verdicts: await write('verdicts', verdicts),
    ...{
      sampleCount: raw.length,
      distinctCount: samples.length,
      tokens: 1,
      verdictCounts: {},
      provedStatements: 1,
      checkMs: 1,
    },
  };
}

async function certificates(proofs: readonly Proved[], name = NAME) {
  return writeRecords(store, `${name}/proved.jsonl`, proofs, new AbortController().signal);
}

const SHARDS: readonly Readonly<Record<string, readonly Drawn[]>>[] = [
  {
    'theorem mixed : p': [
      ['good', 'proved'],
      ['bad', 'rejected'],
      ['good', 'proved'],
      ['lost', 'infra'],
      ['cut', 'rejected', { finish: 'length' }],
      ['script', 'proved', { seed: 1_000 }],
    ],
    'theorem hopeless : q': [
      ['bad', 'rejected'],
      ['worse', 'timeout'],
    ],
    'theorem canary : False': [['bad', 'rejected']],
  },
  {
    'theorem doubted : r': [
      ['good', 'infra'],
      ['bad', 'rejected', { written: '\n\tbad' }],
      ['other', 'proved'],
    ],
  },
];
const PROOFS = [
  proved('theorem mixed : p', 'good'),
  proved('theorem mixed : p', 'script', { model: SCRIPTS_MODEL }),
  proved('theorem doubted : r', 'other'),
];

const contextOf = (name = NAME) => ({
  ...{ run: 'r', round: 0, name, config, history: [], replayFrom: 0, library: null },
  data: { train: { crc32c: '' }, sft: { count: 0 } } as unknown as FinishRoundInput['data'],
});

async function played(name = NAME, history: FinishRoundInput['history'] = []) {
  const shards = await Promise.all(SHARDS.map((items, index) => shard(index, items, name)));
  const provedRef = await certificates(PROOFS, name);
  const input: RewardRoundInput = { run: 'r', name, shards, config: rewardConfig };
  const finish = async (more: Partial<FinishRoundInput> = {}) =>
    run(activities().finishRound, {
      ...contextOf(name),
      history,
      ...{ modelIn: 'm', shards, conjectures: null, conjecturesMade: 0, gate: {} },
      rates: await writeRecords(store, `${name}/rates.jsonl`, [], new AbortController().signal),
      ...{ proved: provedRef, disagreements: 0 },
      ...{ conjecturesKept: null, conjecturesMatched: null },
      rewards: await run(activities().rewardRound, input),
      ...more,
    });
  return { input, finish };
}

describe('a round that trains by reward', () => {
  it('rewards all samples but those of canaries, in the order of the shards', async () => {
    const { input } = await played();
    const rewards = await readAll(store, await run(activities().rewardRound, input), sampleRewardSchema);
    expect(rewards.map((reward) => (reward.kind === 'reward' ? reward.value : reward.why))).toEqual([
      ...[1, 0, 'lean: Lean could not be run on it', 0, 1],
      ...[0, 0],
      ...['lean: Lean could not be run on it', 0, 1],
    ]);
  });

  it('asks a second time only for the shards that are not done', async () => {
    const { input } = await played();
    failsAt = '1';
    await expect(run(activities().rewardRound, input)).rejects.toThrow('the judge is down');
    failsAt = null;
    await run(activities().rewardRound, input);
    await run(activities().rewardRound, input);
    expect(asked).toEqual(['0', '1', '1']);
  });

  it('trains by advantages over the samples of the same statement', async () => {
    const { finish } = await played();
    const { examples, counts } = await finish();
    expect(counts.groups).toEqual({ compared: 3, withSignal: 2, samplesWithoutReward: 2 });
    expect(counts.proverExamples).toBe(4);
    const rows = await readAll(store, examples!, policyExampleSchema);
    // Two good draws, one bad, one that was cut off and teaches nothing: mean 1/2, sample deviation √(1/3).
    const deviation = Math.sqrt(1 / 3);
    const prompt = proverPrompt('theorem mixed : p');
    const doubted = proverPrompt('theorem doubted : r');
    const half = Math.SQRT1_2;
    const common = { role: 'prover', logprob: -3 };
    const rounded = rows.map((row) => ({ ...row, advantage: Number(row.advantage.toFixed(4)) }));
    const advantage = (value: number) => Number(value.toFixed(4));
    expect(rounded).toEqual([
      { ...common, prompt, target: 'good', weight: 2, advantage: advantage(0.5 / deviation) },
      { ...common, prompt, target: 'bad', weight: 1, advantage: advantage(-0.5 / deviation) },
      { ...common, prompt: doubted, target: '\n\tbad', weight: 1, advantage: advantage(-half) },
      { ...common, prompt: doubted, target: 'other', weight: 1, advantage: advantage(half) },
    ]);
  });

  it('takes late groups of earlier rounds along, and counts its own alone', async () => {
    const { finish } = await played();
    const { manifest } = await finish();
    const next = await played('rounds/1-bbbbbbbb', [manifest]);
    const wide = { ...config, selection: { ...config.selection, replayRounds: 2 } };
    const { examples, counts } = await next.finish({ config: wide });
    expect(examples!.count).toBe(8);
    expect(counts.groups).toEqual({ compared: 3, withSignal: 2, samplesWithoutReward: 2 });
  });
});
