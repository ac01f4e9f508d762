/**
 * Builds the training set of a round that trains by reward: every sample of a statement whose samples differ in reward,
 * with its advantage. One shard is in memory at a time.
 */
import { StpError } from '@stp/base';
import type { ObjectiveOf, PolicyExample } from '@stp/config';
import { type ObjectStore, type SampleReward, sampleRewardSchema } from '@stp/config/records';
import { withoutMarks } from '@stp/lean-verifier';
import { advantages, type ProverForms, type RewardGroup } from '@stp/selfplay';
import { proverForms } from '../../prover-forms.ts';
import { SCRIPTS_MODEL } from '../../provers/scripts/portfolio.ts';
import { readRecords } from '../../records/record-files.ts';
import { readShard } from '../../round/read-shard.ts';
import { groupsOf } from '../../round/shard-rewards.ts';
import type { GroupCounts, ObjectiveExamples, PolicyRound } from '../rewarded-rounds.ts';

export const grpoExamples: ObjectiveExamples<'grpo'> = async (objective, { store, sources, prover, grown, rounds }) =>
  policyExamples(store, objective, rounds, await proverForms(sources, prover, grown));

/**
 * Yields the examples, to be read once and to the end. Only then is `counts` complete. It counts the first round alone,
 * since the others are replayed.
 */
export function policyExamples(
  store: ObjectStore,
  objective: ObjectiveOf<'grpo'>,
  rounds: readonly PolicyRound[],
  formOf: ProverForms,
): { readonly examples: AsyncGenerator<PolicyExample>; readonly counts: GroupCounts } {
  const counts: GroupCounts = { compared: 0, withSignal: 0, samplesWithoutReward: 0 };
  async function* all(): AsyncGenerator<PolicyExample> {
    for (const [index, { shards, rewards }] of rounds.entries()) {
      const own = index === 0 ? counts : { ...counts };
      const stream = readRecords(store, rewards, sampleRewardSchema)[Symbol.asyncIterator]();
      for (const shard of shards)
        for (const group of groupsOf(await readShard(store, shard))) {
          const rewarded: SampleReward[] = [];
          for (const { sample } of group.samples) {
            const { value } = await stream.next();
            if (value === undefined || value.sampleId !== sample.id) throw strangeReward(rewards.uri, sample.id);
            rewarded.push(value);
          }
          yield* groupExamples(group, rewarded, objective, formOf, own);
        }
    }
  }
  return { examples: all(), counts };
}

function* groupExamples(
  { statement, samples }: RewardGroup,
  rewards: readonly SampleReward[],
  objective: ObjectiveOf<'grpo'>,
  formOf: ProverForms,
  counts: GroupCounts,
): Generator<PolicyExample> {
  const group = samples.flatMap(({ sample }, at) => {
    const reward = rewards[at]!;
    // Scripts are not sampled from the policy.
    if (sample.model === SCRIPTS_MODEL) return [];
    if (reward.kind === 'reward') return [{ sample, value: reward.value, multiplicity: sample.multiplicity }];
    counts.samplesWithoutReward += sample.multiplicity;
    return [];
  });
  if (group.length === 0) return;
  counts.compared += 1;
  const found = advantages(group, objective);
  if (found === null) return;
  counts.withSignal += 1;
  const form = formOf(statement);
  for (const [at, { sample }] of group.entries()) {
    // A truncated text does not end where its tokens do: it counts in the group but gives no example.
    if (sample.finish === 'length') continue;
    const target = sample.written ?? form.targetOf(withoutMarks(sample.proof));
    if (target === null) continue;
    const { logprob, multiplicity: weight } = sample;
    yield { prompt: form.prompt, target, weight, role: 'prover', advantage: found[at]!, logprob };
  }
}

function strangeReward(uri: string, sampleId: string): StpError {
  return new StpError(
    'STP1402',
    `${uri}: the rewards are not those of the round's samples (at sample ${sampleId})`,
    'Remove the file and the round’s rewarded.json; the step that made them will run again.',
    { facts: { uri, sampleId } },
  );
}
