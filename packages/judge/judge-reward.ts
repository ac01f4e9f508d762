/** The reward port by judges: marks of each proof, or ranks among a statement's proofs, as `judging.reward` says. */
import { mapConcurrently, StpError } from '@stp/base';
import type { JudgeFailure, Judging, SampleReward, Statement } from '@stp/config/records';
import type { RewardGroup, RewardOptions, RewardSource } from '@stp/selfplay';
import type { Asker } from './ask/asker.ts';
import { proofIn } from './candidate.ts';
import { markProof } from './mark-proof.ts';
import type { Problem } from './questions/question.ts';
import { rankProofs } from './rank-proofs.ts';
import { ranks, rewardsOf } from './rewards.ts';
import { scaleOf } from './scale.ts';

/**
 * Number of statements judged concurrently. Each requests all its votes, and the judges' limits bound the open
 * requests.
 */
const STATEMENTS_AT_ONCE = 64;
const WHY_CHARS_MAX = 512;

interface Rewarded {
  readonly rewards: readonly SampleReward[];
  /** Number of samples without any server's answer, after all tries. */
  readonly unanswered: number;
}

export function judgeReward(asker: Asker, judging: Judging): RewardSource {
  return {
    name: 'judge',
    async rewards(groups, options) {
      let done = 0;
      const rewardGroup = ranks(judging.reward) ? rankGroup : markGroup;
      const all = await mapConcurrently(groups, STATEMENTS_AT_ONCE, options.signal, async (group, signal) => {
        const rewarded = await rewardGroup(asker, judging, group, { ...options, signal });
        done += group.samples.length;
        options.onProgress(done);
        return rewarded;
      });
      const rewards = all.flatMap((group) => group.rewards);
      const unanswered = all.reduce((sum, group) => sum + group.unanswered, 0);
      if (unanswered > judging.unansweredShareMax * rewards.length) throw tooManyUnanswered(unanswered, rewards.length);
      return rewards;
    },
  };
}

const problemOf = (statement: Statement, judging: Judging): Problem => {
  const { scale = judging.scale, rubric = null, reference = null } = statement.grading ?? {};
  const text = statement.informal ?? statement.statement;
  return { id: statement.id, set: statement.labels[0] ?? '', text, scale: scaleOf(scale), rubric, reference };
};

const proofsOf = ({ samples }: RewardGroup): string[] =>
  samples.map(({ sample }) => (sample.refused === undefined ? proofIn(sample.proof) : ''));

async function markGroup(
  asker: Asker,
  judging: Judging,
  group: RewardGroup,
  { signal }: RewardOptions,
): Promise<Rewarded> {
  const problem = problemOf(group.statement, judging);
  const proofs = proofsOf(group);
  const judgements = await Promise.all(
    group.samples.map(({ sample: { id } }, at) =>
      markProof(asker, judging, { id, problem, proof: proofs[at]! }, signal),
    ),
  );
  return {
    rewards: judgements.map(({ id, mark, failure }) =>
      mark === null
        ? missing(id, failure)
        : { kind: 'reward', sampleId: id, value: mark.normalised, parts: { mark: mark.raw } },
    ),
    unanswered: judgements.filter(
      ({ mark, failure, votes }) =>
        mark === null && isUnanswered([failure, ...votes.flatMap(({ failures }) => failures)]),
    ).length,
  };
}

async function rankGroup(
  asker: Asker,
  judging: Judging,
  group: RewardGroup,
  { signal, stream }: RewardOptions,
): Promise<Rewarded> {
  const problem = problemOf(group.statement, judging);
  const { points, failures } = await rankProofs(asker, judging, problem, proofsOf(group), stream, signal);
  const values = rewardsOf(judging.reward, points);
  return {
    rewards: group.samples.map(({ sample: { id } }, at) => {
      const [value, own] = [values[at], points[at]];
      if (value === null || value === undefined || own === null || own === undefined)
        return missing(id, failures[0] ?? null);
      return { kind: 'reward', sampleId: id, value, parts: { points: own } };
    }),
    unanswered: isUnanswered(failures) ? points.filter((one) => one === null).length : 0,
  };
}

const isUnanswered = (failures: readonly (JudgeFailure | null)[]): boolean =>
  failures.some((failure) => failure?.kind === 'provider');

function missing(sampleId: string, failure: JudgeFailure | null): SampleReward {
  const why = failure === null ? 'there is no other proof to rank it with' : `${failure.kind}: ${failure.detail}`;
  return { kind: 'missing', sampleId, why: why.slice(0, WHY_CHARS_MAX) };
}

function tooManyUnanswered(unanswered: number, samples: number): StpError {
  return new StpError(
    'STP1902',
    `judges gave no answer for ${unanswered} of ${samples} samples`,
    'See whether they can be reached; what they answered is kept.',
    { retryable: true, facts: { unanswered, samples } },
  );
}
