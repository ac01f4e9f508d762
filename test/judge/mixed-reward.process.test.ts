/**
 * Rewards of a round by Lean and by judges together, over the wire: verdicts and certificates of a shard, a rubric of criteria, a judge
 * that is not there for one sample; and what the round then trains on. The slow one waits for all tries of that judge.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ObjectiveOf, resolveConfig } from '@stp/config';
import {
  type ArtifactRef,
  type JudgeFailureKind,
  type ObjectStore,
  sampleRewardSchema,
  shardFolder,
} from '@stp/config/records';
import { statement } from '@stp/config/testing';
import { dedupeSamples, leanReward } from '@stp/selfplay';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RewardRoundInput } from '../../activities/control/reward-round.ts';
import { rewardRoundActivity } from '../../activities/control/reward-round.ts';
import { policyExamples } from '../../activities/objectives/grpo/policy-examples.ts';
import type { Ports } from '../../activities/ports.ts';
import { proverForms } from '../../activities/prover-forms.ts';
import { readAll, writeRecords } from '../../activities/records/record-files.ts';
import { judgesSpent } from '../../activities/round/shard-rewards.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { JudgeRewards } from '../../workers/judge-rewards.ts';
import { repositorySources } from '../../workers/sources.ts';
import { type Fault, type JudgeServer, startJudgeServer } from '../fakes/judge-server.ts';

const NAME = 'rounds/0-aaaaaaaa';
const CRITERIA = { criteria: ['case zero', 'step'].map((name, at) => ({ name, points: 3 + at })) };
const OWN = statement('theorem own : p', {
  informal: 'Show p.',
  grading: { rubric: JSON.stringify(CRITERIA), reference: 'It is so.' },
});
/** Lean takes the first. The judge finds the second half right, and never sees the last. */
const PROOFS = ['complete', 'half of it', 'nothing', 'unseen'];
const rule = (proof: string): number => (proof.includes('complete') ? 1 : proof.includes('half') ? 0.5 : 0);

let directory: string;
let store: ObjectStore;
let judges: JudgeRewards;
let server: JudgeServer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-mixed-'));
  store = await openStore(pathToFileURL(join(directory, 'store')).href);
  judges = new JudgeRewards({ cacheDirectory: directory, store: async () => store });
});
afterEach(async () => {
  await judges.close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

async function rewarded(fault: Fault) {
  server = await startJudgeServer({ rule, fault: (_, text) => (text.includes('unseen') ? fault : undefined) });
  const config = resolveConfig({
    preset: 'grpo',
    set: {
      'prover.slots': false,
      'objective.rewards.judge.weight': 0.5,
      // One sample of four goes without, and the shard is not tried again for it.
      'objective.rewards.judge.unansweredShareMax': 0.5,
      'objective.rewards.judge.judges': [
        { url: `${server.url}/v1`, model: 'by-rule', price: { prompt: 1, answer: 1 } },
      ],
    },
  });
  const objective = config.objective as ObjectiveOf<'grpo'>;
  const samples = dedupeSamples(
    PROOFS.map((text, index) => ({
      ...{ statementId: OWN.id, index, text, tokens: 3, logprob: -1, seed: index, finish: 'stop' as const },
    })),
    'm',
  );
  const verdicts = samples.map(({ id, proof }) => ({
    ...{
      sampleId: id,
      kind: proof.includes('complete') ? 'proved' : 'rejected',
      messages: [],
      premises: [],
      axioms: [],
    },
    ...{ checkMs: 1, leanVersion: 'test' },
  }));
  const folder = shardFolder(NAME, 0);
  const write = (file: string, records: readonly unknown[]): Promise<ArtifactRef> =>
    writeRecords(store, `${file}.jsonl`, records as never[], new AbortController().signal);
  const shard = {
    items: await write(`${folder}/items`, [{ statement: OWN, samples: 4, origin: 'dataset' }]),
    samples: await write(`${folder}/samples`, samples),
    verdicts: await write(`${folder}/verdicts`, verdicts),
    ...{ sampleCount: 4, distinctCount: 4, tokens: 12, verdictCounts: {}, provedStatements: 1, checkMs: 4 },
  };
  const input: RewardRoundInput = {
    ...{ run: 'r', name: NAME, shards: [shard], config: { rewards: objective.rewards, seed: config.seed } },
  };
  const ports: Pick<Ports, 'store' | 'reward'> = {
    store: async () => store,
    reward: (run, name, { judge }) => (name === 'lean' ? leanReward : judges.source(run, judge!)),
  };
  const { rewardRound } = rewardRoundActivity(ports);
  const rewards = (await new MockActivityEnvironment().run(rewardRound, input)) as ArtifactRef;
  const { examples, counts } = policyExamples(
    store,
    objective,
    [{ shards: [shard], rewards }],
    await proverForms(repositorySources(), config.prover),
  );
  return {
    rewards: await readAll(store, rewards, sampleRewardSchema),
    examples: await Array.fromAsync(examples),
    counts,
  };
}

async function checkWithout(fault: Fault, kind: JudgeFailureKind, requests: number): Promise<void> {
  const { rewards, examples, counts } = await rewarded(fault);
  expect(rewards.map((one) => (one.kind === 'reward' ? one.value : one.why))).toEqual([
    1.5,
    // 2 of 3 points for one criterion, 2 of 4 for the other.
    expect.closeTo((0.5 * 4) / 7),
    0,
    expect.stringContaining(`judge: ${kind}`),
  ]);
  expect(rewards[0]).toMatchObject({ parts: { lean: 1, judge: 1, mark: 7 } });
  expect(examples.map(({ target }) => target.trim())).toEqual(PROOFS.slice(0, 3));
  expect(examples[0]!.advantage).toBeGreaterThan(0);
  expect(counts).toEqual({ compared: 1, withSignal: 1, samplesWithoutReward: 1 });
  for (const part of ['Show p.', '- case zero: 3', 'It is so.', 'Give points for each criterion'])
    expect(server.requests[0]!.text).toContain(part);
  expect(server.requests).toHaveLength(requests);
  expect((await judgesSpent(store, NAME, 1))!.requests).toBe(requests);
}

it('a judge whose answers cannot be used takes its sample out of the group; the others have both rewards', () =>
  checkWithout('prose', 'malformed', 1 + 1 + 1 + 2));

it('so does one that cannot be reached, after all tries', { tags: ['slow'] }, () =>
  checkWithout('broken', 'provider', 1 + 1 + 1 + 6),
);
