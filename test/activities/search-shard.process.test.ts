/**
 * Tests the search of a shard with real Lean and a scripted model: its proofs, its records, and processes that die.
 * About a minute of one core.
 */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { expansionSchema, type ObjectStore, type ShardResult, sampleSchema, verdictSchema } from '@stp/config/records';
import { statement } from '@stp/config/testing';
import type { SampleRequest } from '@stp/language-model';
import { openSteps } from '@stp/lean-explore';
import { libraryEnvironment } from '@stp/lean-explore/testing';
import { type LeanEnvironment, LIBRARY_HEADER, openVerifier, type Verifier } from '@stp/lean-verifier';
import { readResources } from '@stp/lean-verifier/testing';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { BatchedSamples } from '../../activities/provers/batched-samples.ts';
import type { SearchedShard } from '../../activities/provers/steps/search-shard.ts';
import { searchShardActivity } from '../../activities/provers/steps/search-shard.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { repositorySources } from '../../workers/sources.ts';
import { kill, markedProcesses } from '../support/processes.ts';
import { forget } from './forget.ts';

vi.mock('../../activities/training/checkpoints.ts', () => ({ fetchCheckpoint: async () => 'checkpoint' }));
vi.setConfig({ testTimeout: 180_000 });

/** Past its imports. */
const LEAN_LOADED_BYTES = 200_000_000;
/** The kernel counts down a hundred million. */
const HEAVY = 'left; decide +kernel';
const HEAVY_STATEMENT = statement('theorem heavy : (List.range 100000000).length = 3 ∨ True');
const APP = statement('theorem app_nil (xs : List Nat) : app xs [] = xs');
const LINES = statement('theorem lines (n : Nat) : 0 + n = n');
const _HALF = statement('theorem half (n : Nat) : 0 + n = n ∧ n + 1 = n');
const FALSE = statement('theorem wrong (n : Nat) : n + 1 = n');
/** Tactics by the prompt's content, the likeliest first. */
const TACTICS: readonly (readonly [holds: string, tactics: readonly string[]])[] = [
  ['100000000', [HEAVY, 'right', 'trivial']],
  ['∧', ['constructor']],
  [
    '',
    [
      'trivial',
      'exact nonsense',
      'sorry',
      'simp [',
      'induction<s0>',
      'simp_all [<all>]',
      'induction<n0> with\n| zero => rfl\n| succ n ih => omega',
    ],
  ],
];

let environment: LeanEnvironment;
let directory: string;
let store: ObjectStore;
let runMark: string;
let verifier: Verifier | null = null;
let calls: (readonly SampleRequest[])[] = [];
let onCall: () => void = () => {};

const generator = {
  async sample(requests: readonly SampleRequest[]) {
    calls.push(requests);
    onCall();
    return requests.map(({ id, prompt }) => {
      const [, tactics] = TACTICS.find(([holds]) => prompt.includes(holds))!;
      const text = tactics[Number(id)] ?? tactics[0]!;
      return { id, text, tokens: 2, logprob: -(tactics.indexOf(text) + 1) / 4, finish: 'stop' as const };
    });
  },
};
const ports = {
  sources: repositorySources(),
  store: async () => store,
  scratch: async () => directory,
  generator: async () => generator,
  monitor: async () => ({ log: async () => {} }),
  // Two members that like inductions, the second one more; they cannot read what is longer.
  ensemble: async () => ({
    rewards: async (targets: readonly { readonly target: string }[]) =>
      targets.map(({ target }) => (target.startsWith('induction') ? [1, 3] : target.length > 8 ? null : [-4, -4])),
    close: async () => undefined,
  }),
  steps: async () =>
    openSteps({
      environment,
      libraryHeader: LIBRARY_HEADER,
      workingDirectory: directory,
      memoryBytesMax: 2_147_483_648,
      heartbeatsMax: 20_000,
      runMark,
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
  directory = await mkdtemp(join(tmpdir(), 'stp-search-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  runMark = `test-${randomBytes(6).toString('hex')}`;
  calls = [];
  onCall = () => {};
});
afterEach(async () => {
  expect(markedProcesses(runMark)).toEqual([]);
  await verifier?.close();
  verifier = null;
  await rm(directory, { recursive: true, force: true });
});

async function inputOf(statements: readonly ReturnType<typeof statement>[], set: Record<string, unknown> = {}) {
  const items = await writeRecords(
    store,
    `items-${statements.length}-*.jsonl`,
    statements.map((one) => ({ statement: one, origin: 'dataset', samples: 4 })),
  );
  const search = { 'prover.mode': 'steps', 'prover.search.tactics': 7, 'prover.search.expansions': 6 };
  const config = resolveConfig({ preset: 'smoke', set: { ...search, ...set } as never });
  const checkpoint = { manifest: items, model: 'm' };
  return { run: 'test', name: 'shard', items, earlier: null, checkpoint, library: null, config };
}
const search = (input: object) => run<SearchedShard>(searchShardActivity(ports).searchShard, input);
const samplesOf = async ({ samples }: SearchedShard) => readAll(store, samples, sampleSchema);

it('finds proofs that verification accepts, keeps every step, and begins nothing twice', async () => {
  const input = await inputOf([APP, LINES, FALSE]);
  const found = await search(input);
  const samples = await samplesOf(found);
  expect(samples.map(({ proof }) => proof)).toEqual([
    expect.stringMatching(/^induction xs\n(?:trivial|simp_all \[app\])\nsimp_all \[app\]$/u),
    expect.stringMatching(/^simp_all|^induction n with\n\| zero => rfl\n\| succ n ih => omega$/u),
    expect.any(String),
  ]);
  expect(found).toMatchObject({ sampleCount: 3, search: { figures: { searches: 3, found: 2 } } });
  expect(samples[0]!.steps!.map(({ goal, tactic }) => [goal.target, tactic])[0]).toEqual([
    'app xs [] = xs',
    'induction xs',
  ]);
  expect(samples.map(({ steps }) => steps?.length)).toEqual([3, expect.any(Number), undefined]);
  const { figures } = found.search;
  const expansions = await readAll(store, found.search.expansions, expansionSchema);
  expect(figures.expansions).toBe(expansions.length);
  expect(figures.leanMs).toBeGreaterThan(0);
  const [first] = expansions;
  expect(first).toMatchObject({ statementId: APP.id, index: 0, goals: 'xs : List Nat\n⊢ app xs [] = xs', length: 0 });
  expect(Object.fromEntries(first!.steps.map(({ tactic, outcome }) => [tactic, outcome]))).toMatchObject({
    trivial: 'rejected',
    'exact nonsense': 'rejected',
    sorry: 'sorry',
    'simp [': expect.stringMatching(/^(rejected|forbidden)$/),
    'induction xs': 'open',
  });
  // The next state of a step is the state of a later expansion.
  const next = first!.steps.find(({ outcome }) => outcome === 'open')!.next;
  expect(expansions.some(({ state }) => state === next)).toBe(true);

  const verify = (name: string, sampled: SearchedShard, earlier: ShardResult | null) =>
    run<ShardResult>(verifyShardActivity(ports).verifyShard, { ...input, name, sampled, earlier });
  const verified = await verify('shard/search', found, null);
  const verdicts = await readAll(store, verified.verdicts, verdictSchema);
  expect(verdicts.map(({ kind }) => kind)).toEqual(['proved', 'proved', 'rejected']);

  const before = calls.length;
  await forget(directory, 'shard/search/searched.json');
  await forget(directory, `shard/search/statements/${FALSE.id}.json`);
  expect(await samplesOf(await search(input))).toEqual(samples);
  expect(calls.length - before).toBe(expansions.filter(({ statementId }) => statementId === FALSE.id).length);

  // After whole proofs: statements that they prove are not searched for. The search's sample joins theirs.
  const both = await search({ ...input, name: 'both', earlier: verified });
  expect(both).toMatchObject({ sampleCount: 4, search: { figures: { searches: 1, found: 0 } } });
  const joined = await samplesOf(both);
  expect(joined.slice(0, 2)).toEqual(samples.slice(0, 2));
  expect(joined.flatMap(({ statementId, indices }) => (statementId === FALSE.id ? indices : []))).toEqual([0, 4]);
  const result = await verify('both/search', both, verified);
  expect(result).toMatchObject({ sampleCount: 4, provedStatements: 2, verdictCounts: { proved: 2, rejected: 2 } });
  const kinds = await readAll(store, result.verdicts, verdictSchema);
  expect(kinds.slice(0, 3)).toEqual(verdicts);
  expect(kinds.map(({ sampleId }) => sampleId)).toEqual(joined.map(({ id }) => id));
});

it('asks verifiers what they make of tactics', async () => {
  const set = {
    'prover.search.verifier': 'ensemble',
    'prover.search.verifierWeight': 2,
    'prover.search.verifierCaution': 1,
  };
  const found = await search(await inputOf([APP], set));
  const [first, ...later] = await readAll(store, found.search.expansions, expansionSchema);
  const bonusOf = Object.fromEntries(first!.steps.map(({ tactic, bonus }) => [tactic, bonus]));
  // The mean of 1 and 3 less their deviation, twice. A tactic that no member can read gets its siblings' worst score.
  expect(bonusOf).toMatchObject({ 'induction xs': 2, trivial: -8, sorry: -8, 'exact nonsense': -8 });
  const { next, logprob } = first!.steps.find(({ tactic }) => tactic === 'induction xs')!;
  expect(later.find(({ state }) => state === next)!.score).toBeCloseTo(logprob + 2, 12);
});

it('goes on where its Lean process dies, in a step and between two', async () => {
  const set = {
    'verification.candidateTimeoutMs': 60_000,
    'verification.processes': 1,
    'prover.search.leanSeconds': 600,
    'prover.search.seconds': 900,
  };
  const input = await inputOf([HEAVY_STATEMENT], set);
  const killed = new Set<number>();
  /** Whenever a process has read its imports: it is at the heavy step then, or waits for the next. */
  const killing = setInterval(() => {
    if (killed.size === 4 || calls.length === 0) return;
    for (const pid of markedProcesses(runMark)) {
      if ((readResources(pid)?.residentBytes ?? 0) < LEAN_LOADED_BYTES) continue;
      kill(pid);
      killed.add(pid);
    }
  }, 50);
  const found = await search(input);
  clearInterval(killing);
  expect((await samplesOf(found)).map(({ proof }) => proof)).toEqual(['right\ntrivial']);
  const expansions = await readAll(store, found.search.expansions, expansionSchema);
  expect(expansions[0]!.steps[0]).toMatchObject({ tactic: HEAVY, outcome: 'infra' });
  expect(killed.size).toBeGreaterThanOrEqual(3);
});

it('searches for nothing where Lean refuses the statement', async () => {
  const found = await search(await inputOf([statement('theorem bad : nonsense = 1')]));
  expect(found.search.figures).toMatchObject({ searches: 1, found: 0, expansions: 0 });
  expect((await samplesOf(found)).map(({ proof }) => proof)).toEqual(['skip']);
});

it('requests that come while the model is asked go into one call', async () => {
  const sizes: number[] = [];
  const generator = {
    async sample(requests: readonly SampleRequest[]) {
      sizes.push(requests.length);
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (requests.some(({ id }) => id === 'bad')) throw new Error('no model');
      return requests.map(({ id }) => ({ id, text: id, tokens: 1, logprob: 0, finish: 'stop' as const }));
    },
  };
  const sampling = { temperature: 1, topP: 1, maxTokens: 1 };
  const batched = new BatchedSamples(generator, sampling, new AbortController().signal);
  const ask = async (...ids: string[]) =>
    (await batched.sample(ids.map((id) => ({ id, prompt: '', seed: 0 })))).map(({ text }) => text);
  const first = [ask('a'), ask('b', 'c')];
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = [ask('d'), ask(), ask('e', 'f')];
  expect(await Promise.all([...first, ...second])).toEqual([['a'], ['b', 'c'], ['d'], [], ['e', 'f']]);
  expect(sizes).toEqual([3, 3]);
  expect(batched.modelMs).toBeGreaterThan(30);
  await expect(ask('bad')).rejects.toThrow('no model');
  expect(await ask('g')).toEqual(['g']);
});
