/**
 * Rules about which provers, conjecturers and objectives go together, where the schema of one section cannot express
 * them.
 */
import type { z } from 'zod';
import { suggestion } from '../nearest.ts';
import { type ConjecturerConfig, hasConjecturer, rankedShare, rewardsUse, writesTyped } from './conjecturers/index.ts';
import { objectiveIn, type RunObjective, trainsByReward } from './objectives/index.ts';
import { learnsOrder, type ProverConfig, proverIn } from './provers/index.ts';

interface Combined {
  readonly data: { readonly problemSets: readonly string[]; readonly weights: Readonly<Record<string, unknown>> };
  readonly prover: ProverConfig;
  readonly conjectures: ConjecturerConfig;
  readonly objective: RunObjective;
  readonly library: 'fixed' | 'grow';
  readonly engines: { readonly trainer: { readonly kind: string }; readonly generator: { readonly kind: string } };
  readonly evaluation: { readonly samplesPerStatement: number };
  readonly retrain: { readonly everyRounds: number };
}

export interface CombinationProblem {
  readonly path: z.core.$ZodIssue['path'];
  readonly message: string;
}

/** Yields every conflict between two values, at the value that is easier to change. */
export function* combinationProblems(config: Combined): Generator<CombinationProblem> {
  yield* ofObjective(config);
  yield* ofJudgedProver(config);
  yield* ofConjecturer(config);
  yield* ofGenerator(config);
  yield* ofActions(config);
  for (const set of Object.keys(config.data.weights))
    if (!config.data.problemSets.includes(set))
      yield {
        path: ['data', 'weights'],
        message: `${set} is not among data.problemSets${suggestion(set, config.data.problemSets)}`,
      };
}

/** Rewards need samples that the prover itself wrote, and a trainer other than Levanter. */
function* ofObjective({ objective, prover, conjectures, engines }: Combined): Generator<CombinationProblem> {
  const { kind } = objective;
  const { provers } = objectiveIn(objective);
  if (provers !== null && !provers.includes(prover.mode))
    yield {
      path: ['prover', 'mode'],
      message: `is ${prover.mode}, and objective.kind=${kind} takes the samples of ${provers.join(' or ')} (docs/rewards.md)`,
    };
  if (!trainsByReward(objective)) return;
  if (conjectures.source !== 'none')
    yield { path: ['conjectures', 'source'], message: `is not none, and objective.kind=${kind} trains no conjecturer` };
  if (engines.trainer.kind === 'levanter')
    yield { path: ['engines', 'trainer', 'kind'], message: 'is levanter, which trains by likelihood alone' };
}

/** A run in words does not use Lean; judges alone reward its samples. */
function* ofJudgedProver(config: Combined): Generator<CombinationProblem> {
  const { prover, objective, library, evaluation, retrain } = config;
  const isJudged = proverIn(prover).checkedBy === 'judges';
  if (trainsByReward(objective) && (objective.rewards.lean === null) !== isJudged)
    yield {
      path: ['objective', 'rewards', 'lean'],
      message: isJudged
        ? 'must be null with prover.mode=judged: Lean sees no proof in words (docs/judges.md)'
        : 'is null, and only with prover.mode=judged do judges alone say what a sample earns (docs/judges.md)',
    };
  if (!isJudged) return;
  if (!trainsByReward(objective))
    yield { path: ['objective', 'kind'], message: 'must be grpo with prover.mode=judged (docs/judges.md)' };
  if (library !== 'fixed') yield { path: ['library'], message: 'must be fixed with prover.mode=judged' };
  if (evaluation.samplesPerStatement !== 0)
    yield { path: ['evaluation', 'samplesPerStatement'], message: 'must be 0 with prover.mode=judged' };
  if (retrain.everyRounds !== 0)
    yield { path: ['retrain', 'everyRounds'], message: 'must be 0 with prover.mode=judged' };
}

function* ofConjecturer({ conjectures, prover, library }: Combined): Generator<CombinationProblem> {
  if (library !== 'grow' && rewardsUse(conjectures))
    yield {
      path: ['conjectures', 'reward', 'kind'],
      message: 'credits conjectures of the library for their use, which takes library=grow',
    };
  if (library !== 'grow' && rankedShare(conjectures) > 0)
    yield {
      path: ['conjectures', 'rankedShare'],
      message: 'ranks conjectures by their use as lemmas, which takes library=grow',
    };
  if (writesTyped(conjectures) && !prover.slots && prover.format === 'embedded')
    yield {
      path: ['conjectures', 'source'],
      message: `is ${conjectures.source}, and without slots the format embedded has no question for it (docs/models.md)`,
    };
}

function* ofActions({ prover }: Combined): Generator<CombinationProblem> {
  if ('rankerFrom' in prover && prover.rankerFrom !== null && !learnsOrder(prover))
    yield {
      path: ['prover', 'rankerFrom'],
      message: 'names a ranker of actions, which takes prover.actions=learned and scripts (docs/lean-core.md)',
    };
}

/** `transformers serve` gives neither log-probabilities nor embeddings. */
function* ofGenerator({ engines, prover, conjectures }: Combined): Generator<CombinationProblem> {
  if (engines.generator.kind !== 'transformers') return;
  const path = ['engines', 'generator', 'kind'];
  if ('search' in prover)
    yield {
      path,
      message: `is transformers, which has no log-probabilities, and prover.mode=${prover.mode} ranks by them`,
    };
  if (hasConjecturer(conjectures) && conjectures.transport !== null)
    yield { path, message: 'is transformers, which has no vectors of texts, and conjectures.transport compares them' };
}
