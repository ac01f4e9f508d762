/** Walks of a shard with real Lean and a scripted policy, from their tactics to flow groups. About half a minute of one core. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ObjectiveOf, resolveConfig } from '@stp/config';
import { type ObjectStore, type ShardResult, sampleSchema, walkSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { SampleRequest } from '@stp/language-model';
import { openSteps } from '@stp/lean-explore';
import { libraryEnvironment } from '@stp/lean-explore/testing';
import { type LeanEnvironment, LIBRARY_HEADER, openVerifier, type Verifier } from '@stp/lean-verifier';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { flowGroups } from '../../activities/objectives/gfn/flow-groups.ts';
import { stateForms } from '../../activities/prover-forms.ts';
import type { WalkedShard } from '../../activities/provers/walks/walk-shard.ts';
import { walkShardActivity } from '../../activities/provers/walks/walk-shard.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { readShard } from '../../activities/round/read-shard.ts';
import { groupsOf } from '../../activities/round/shard-rewards.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { markedProcesses } from '../support/processes.ts';
import { forget } from './forget.ts';

vi.mock('../../activities/training/checkpoints.ts', () => ({ fetchCheckpoint: async () => 'checkpoint' }));
vi.setConfig({ testTimeout: 180_000 });

const BOTH = statement('theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q');
/** Tactics of each walk; the sampler's request carries the walk's number as its id. */
const SCRIPTS: readonly (readonly string[])[] = [
  ['constructor', 'exact hp', 'exact hq'],
  ['constructor', 'assumption', 'assumption'],
  ['apply And.intro', 'exact hp', 'exact hq'],
  ['constructor', 'exact hq'],
  ['constructor', 'done'],
  ['skip'],
];

let environment: LeanEnvironment;
let directory: string;
let store: ObjectStore;
let runMark: string;
let verifier: Verifier | null = null;
let said: Map<string, number>;
let calls = 0;
let asked: string[];

const generator = {
  async sample(requests: readonly SampleRequest[]) {
    calls += 1;
    return requests.map(({ id }) => {
      const index = said.get(id) ?? 0;
      said.set(id, index + 1);
      const text = SCRIPTS[Number(id)]![index] ?? 'done';
      return { id, text, tokens: 2, logprob: -0.5, finish: 'stop' as const };
    });
  },
};
const sources = repositorySources();
const ports = {
  sources,
  store: async () => store,
  scratch: async () => directory,
  generator: async () => generator,
  monitor: async () => ({ log: async () => {} }),
  // Three members, of which the last accepts only `exact`.
  ensemble: async () => ({
    rewards: async (targets: readonly { readonly prompt: string; readonly target: string }[]) => {
      asked.push(...targets.map(({ prompt, target }) => `${prompt} ${target}`));
      return targets.map(({ target }) =>
        target.startsWith('apply') ? null : [2, 3, target.startsWith('exact') ? 4 : -1],
      );
    },
    close: async () => undefined,
  }),
  steps: async () =>
    openSteps({
      ...{ environment, libraryHeader: LIBRARY_HEADER, workingDirectory: directory, runMark },
      ...{ memoryBytesMax: 2_147_483_648, heartbeatsMax: 20_000 },
    }),
  verifier: async () => {
    const common = { cacheDirectory: null, scratchDirectory: directory, processes: 1, libraryHeader: LIBRARY_HEADER };
    verifier ??= await openVerifier({ ...common, environment });
    return verifier;
  },
};
const run = async <T>(activity: unknown, input: object): Promise<T> =>
  (await new MockActivityEnvironment().run(activity as never, input)) as T;

beforeAll(async () => {
  environment = await libraryEnvironment();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-walk-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  runMark = `test-${randomBytes(6).toString('hex')}`;
  said = new Map();
  calls = 0;
  asked = [];
});
afterEach(async () => {
  expect(markedProcesses(runMark)).toEqual([]);
  await verifier?.close();
  verifier = null;
  await rm(directory, { recursive: true, force: true });
});

it('walks tactic by tactic, merges states, and becomes a flow group with the rewards of its ends', async () => {
  const config = resolveConfig({
    preset: 'gflownet',
    set: {
      ...{ 'prover.slots': false, 'prover.walks.steps': 3 },
      ...{
        'prover.walks.verifier': 'ensemble',
        'prover.walks.verifierBy': 'minimum',
        'prover.walks.verifierWeight': 0.5,
      },
    },
  });
  const items = await writeRecords(store, 'items-*.jsonl', [
    { statement: BOTH, origin: 'dataset', samples: SCRIPTS.length },
  ]);
  const input = {
    run: 'test',
    name: 'shard',
    items,
    checkpoint: { manifest: items, model: 'm' },
    library: null,
    config,
  };
  const walked = await run<WalkedShard>(walkShardActivity(ports).walkShard, input);
  const walks = await readAll(store, walked.walks, walkSchema);
  expect(walks.map(({ index, end, written }) => [index, end, written.length])).toEqual([
    [0, 'done', 3],
    [1, 'done', 3],
    [2, 'done', 3],
    // Lean refuses the wrong hypothesis.
    [3, 'dead', 2],
    // `done` stops, although a goal is left.
    [4, 'stopped', 1],
    // The tactic led back to an earlier state.
    [5, 'dead', 1],
  ]);
  const keys = walks.map(({ states }) => states.map(({ key }) => key));
  expect(keys[1]).toEqual(keys[0]);
  expect(keys[4]).toEqual(keys[0]!.slice(0, 2));
  expect(walks[0]!.states.map(({ goals }) => goals)).toEqual([1, 2, 1]);
  // Weighted scores; a tactic too long for the verifiers has the worst score of its state.
  expect(walks.map(({ scores }) => scores)).toEqual([
    [-0.5, 1, 1],
    [-0.5, -0.5, -0.5],
    [-0.5, 1, 1],
    [-0.5, 1],
    [-0.5],
    [-0.5],
  ]);
  // Equal tactics of two walks in one state are scored once.
  expect(new Set(asked).size).toBe(asked.length);
  expect(walked.figures.walksLeanMs).toBeGreaterThan(0);
  const samples = await readAll(store, walked.samples, sampleSchema);
  expect(samples[0]!.proof).toMatch(/constructor\n(?:· )?exact hp\n(?:· )?exact hq/u);

  const { walks: records, figures: _, ...sampled } = walked;
  const verified = await run<ShardResult>(verifyShardActivity(ports).verifyShard, {
    ...input,
    sampled,
    earlier: null,
  });
  expect(verified.verdictCounts).toMatchObject({ proved: 3 });

  // The second of the three proofs has no reward and is left out.
  const shard = await readShard(store, verified);
  const rewards = groupsOf(shard).flatMap((group) =>
    group.samples.map(({ sample, verdict }) =>
      sample.indices.includes(1)
        ? { kind: 'missing', sampleId: sample.id, why: 'test' }
        : { kind: 'reward', sampleId: sample.id, value: verdict!.kind === 'proved' ? 1 : 0 },
    ),
  );
  const { examples, counts } = flowGroups({
    store,
    objective: { ...(config.objective as ObjectiveOf<'gfn'>), bufferShare: 0 },
    seed: config.seed,
    round: 0,
    rounds: [
      {
        shards: [{ ...verified, walks: records }],
        rewards: await writeRecords(store, 'rewards.jsonl', rewards as never[]),
      },
    ],
    formOf: await stateForms(sources, config.prover),
    directory,
    signal: new AbortController().signal,
  });
  const [group, ...others] = await Array.fromAsync(examples);
  expect(others).toEqual([]);
  expect(counts).toEqual({ compared: 1, withSignal: 1, samplesWithoutReward: 1 });
  expect(group!.trajectories.map(({ targets }) => targets)).toEqual([
    ['constructor', 'exact hp', 'exact hq'],
    ['apply And.intro', 'exact hp', 'exact hq'],
    ['constructor', 'exact hq'],
    ['constructor'],
    ['skip'],
  ]);
  expect(group!.trajectories.map(({ states }) => states.at(-1)!.logReward)).toEqual([0, 0, -8, -6.5, -8]);
  // Both tactics that lead to the state, `constructor` and `apply And.intro`, have the score -1/2.
  expect(group!.trajectories[0]!.states.map(({ logReward }) => logReward)).toEqual([-5, -6.5, -4, 0]);
  expect(group!.trajectories[0]!.states[0]!.prompt).toContain('<state>');

  // Finished statements get no further walks.
  const before = calls;
  await forget(directory, 'shard/walked.json');
  expect(await run(walkShardActivity(ports).walkShard, input)).toEqual(walked);
  expect(calls).toBe(before);
});
