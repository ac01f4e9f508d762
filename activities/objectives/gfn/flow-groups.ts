/**
 * Builds the training set of a round of walks: for every statement the round's walks and some of the best walks of the
 * window's rounds. Walks are sorted by statement outside memory.
 */
import type { FlowGroup, ObjectiveOf } from '@stp/config';
import { type ObjectStore, sampleRewardSchema, walkSchema } from '@stp/config/records';
import {
  endReward,
  flowGroup,
  ReplayBuffer,
  type RewardedWalk,
  randomStream,
  type Stated,
  type StateForm,
} from '@stp/selfplay';
import { stateForms } from '../../prover-forms.ts';
import { externalSort, groupSorted } from '../../records/external-sort.ts';
import { readRecords } from '../../records/record-files.ts';
import { readShard } from '../../round/read-shard.ts';
import { groupsOf } from '../../round/shard-rewards.ts';
import type { GroupCounts, ObjectiveExamples, PolicyRound } from '../rewarded-rounds.ts';

interface Found {
  readonly walk: RewardedWalk;
  /** Number of rounds since this one; 0 for the present round. */
  readonly age: number;
  readonly stated: Stated;
}

export interface FlowGroupsInput {
  readonly store: ObjectStore;
  readonly objective: ObjectiveOf<'gfn'>;
  readonly seed: number;
  readonly round: number;
  /** The present round and those of the window, newest first. */
  readonly rounds: readonly PolicyRound[];
  readonly formOf: (stated: Stated) => StateForm;
  /** Local folder for sorting. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export const gfnExamples: ObjectiveExamples<'gfn'> = async (objective, { sources, prover, grown, ...rounds }) =>
  flowGroups({ ...rounds, objective, formOf: await stateForms(sources, prover, grown) });

export function flowGroups(input: FlowGroupsInput): {
  readonly examples: AsyncGenerator<FlowGroup>;
  readonly counts: GroupCounts;
} {
  const { objective, seed, round, directory, signal } = input;
  const counts: GroupCounts = { compared: 0, withSignal: 0, samplesWithoutReward: 0 };
  const key = ({ walk, age }: Found): string =>
    `${walk.statementId} ${String(age).padStart(6, '0')} ${String(walk.index).padStart(9, '0')}`;
  async function* all(): AsyncGenerator<FlowGroup> {
    const sorted = externalSort(rewardedWalks(input, counts), { key, directory, signal });
    for await (const found of groupSorted(sorted, ({ walk }) => walk.statementId)) {
      const { walk: first, stated } = found[0]!;
      const own = found.filter(({ age }) => age === 0).map(({ walk }) => walk);
      if (own.length === 0) continue;
      counts.compared += 1;
      const { bufferShare, bufferMax } = objective;
      const buffer = new ReplayBuffer<RewardedWalk>(bufferMax);
      for (const { walk } of found) buffer.add(walk, walk.written.join('\n'), endReward(walk));
      const random = randomStream(seed, round, 'replay', first.statementId);
      const replayed = buffer.draw(Math.round(bufferShare * own.length), random);
      const known = found.map(({ walk }) => walk);
      const form = input.formOf(stated);
      const group = flowGroup(first.statementId, [...own, ...replayed], known, (goal) => form(goal).prompt);
      if (group === null) continue;
      counts.withSignal += 1;
      yield group;
    }
  }
  return { examples: all(), counts };
}

/** Yields every walk of the rounds with its sample's reward; walks without a reward are left out. */
async function* rewardedWalks({ store, rounds }: FlowGroupsInput, counts: GroupCounts): AsyncGenerator<Found> {
  for (const [age, { shards, rewards }] of rounds.entries()) {
    const stream = readRecords(store, rewards, sampleRewardSchema)[Symbol.asyncIterator]();
    for (const result of shards) {
      const shard = await readShard(store, result);
      const values = new Map<string, number | null>();
      for (const { samples } of groupsOf(shard))
        for (const { sample } of samples) {
          const { value } = await stream.next();
          for (const index of sample.indices)
            values.set(`${sample.statementId} ${index}`, value?.kind === 'reward' ? value.value : null);
        }
      if (result.walks === undefined) continue;
      for await (const walk of readRecords(store, result.walks, walkSchema)) {
        const item = shard.items.get(walk.statementId);
        if (item === undefined || item.origin === 'canary') continue;
        const value = values.get(`${walk.statementId} ${walk.index}`) ?? null;
        if (value === null) {
          if (age === 0) counts.samplesWithoutReward += 1;
          continue;
        }
        const { header, statement } = item.statement;
        yield { walk: { ...walk, isProof: value > 0 }, age, stated: { header, statement } };
      }
    }
  }
}
