/**
 * Converts the results of searches into the format that llmstep publishes
 * (`packages/datasets/loaders/search-results.ts` reads it): each statement's proof with the state before each tactic,
 * or the reason why there is none.
 */

import { proverOf, type RunConfig } from '@stp/config';
import {
  type ExpansionRecord,
  expansionSchema,
  type ObjectStore,
  type ShardResult,
  type Statement,
} from '@stp/config/records';
import type { SearchResult } from '@stp/datasets';
import { readRecords } from '../records/record-files.ts';

/** The file beside `evaluation.json`. */
export const SEARCH_RESULTS = 'search-results.json';
type Attempt = SearchResult['attempt_results'][number];

/** llmstep's words for: the search ended without a proof; it could not begin; Lean refused the whole proof. */
const FAILURES = { ended: 'SearchEnded', notBegun: 'DojoInitError', refused: 'ProofRefused' } as const;

/**
 * Returns results in the order of the statements, as the search found and the verification confirmed them. One shard's
 * states are in memory.
 *
 * @param proved ids of the statements whose proof was verified
 */
export async function searchResults(
  store: ObjectStore,
  shards: readonly ShardResult[],
  statements: readonly Statement[],
  proved: ReadonlySet<string>,
): Promise<SearchResult[]> {
  const nameOf = new Map(statements.map(({ id, name }) => [id, name]));
  const attempts = new Map<string, Attempt>();
  for (const { search } of shards) {
    if (search === undefined) continue;
    const byStatement = new Map<string, ExpansionRecord[]>();
    for await (const one of readRecords(store, search.expansions, expansionSchema))
      byStatement.set(one.statementId, [...(byStatement.get(one.statementId) ?? []), one]);
    for (const [id, expansions] of byStatement) attempts.set(id, attemptOf(expansions, nameOf.get(id) ?? ''));
  }
  return statements.map(({ id, name, statement, labels }) => {
    const failed = (failure_reason: string): Attempt => ({ theorem: name, success: false, failure_reason });
    const found = attempts.get(id) ?? failed(FAILURES.notBegun);
    const attempt = found.success && !proved.has(id) ? failed(FAILURES.refused) : found;
    const [set = '', split = ''] = labels[0]?.split(' ') ?? [];
    return {
      attempt_results: [attempt],
      success: attempt.success,
      example: { full_name: name, statement, file_path: set, split },
    };
  });
}

/** Returns llmstep's options, as far as this project has equivalents. */
export function searchArguments(modelName: string, config: RunConfig) {
  const { sampling, data } = config;
  const { search } = proverOf(config, 'steps', 'both');
  return {
    model_name: modelName,
    dataset_name: data.problemSets.join(','),
    shard: 0,
    num_shards: 1,
    early_stop: true,
    max_iters: search.expansions,
    timeout: search.seconds,
    num_samples: search.tactics,
    temperatures: [sampling.temperature],
  };
}

/** @param expansions of one search, in order */
function attemptOf(expansions: readonly ExpansionRecord[], theorem: string): Attempt {
  const last = expansions.at(-1)!;
  const closing = last.steps.find(({ outcome }) => outcome === 'done');
  if (closing === undefined) return { theorem, success: false, failure_reason: FAILURES.ended };
  const path: { readonly at: ExpansionRecord; readonly step: ExpansionRecord['steps'][number] }[] = [];
  for (let here = { at: last, step: closing }; ; ) {
    path.unshift(here);
    if (here.at.index === 0) break;
    here = bestWayTo(here.at, expansions);
  }
  return {
    theorem,
    success: true,
    proof: path.map(({ step }) => step.tactic),
    score: path.reduce((sum, { step }) => sum - step.logprob / (step.tokens ?? 1), 0),
    trace: path.map(({ at, step }) => ({ tactic: step.tactic, state_before: at.goals })),
  };
}

/** Returns the step of an earlier expansion that leads to the state with the path's highest log-probability. */
function bestWayTo({ state, index }: ExpansionRecord, expansions: readonly ExpansionRecord[]) {
  const ways = expansions
    .slice(0, index)
    .flatMap((at) => at.steps.filter(({ next }) => next === state).map((step) => ({ at, step })));
  return ways.reduce((best, way) =>
    way.at.logprob + way.step.logprob > best.at.logprob + best.step.logprob ? way : best,
  );
}
