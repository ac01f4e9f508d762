/** Goals that failed searches closed, as statements with proofs that Lean accepts (`prover.search.hindsight`). */
import type { ClosedGoalRecord, ExpansionRecord } from '@stp/config/records';
import type { Verifier } from '@stp/lean-verifier';
import { closedGoals, goalStatement, hasHiddenNames, type WorkItem } from '@stp/selfplay';

/** Goals of one statement: those with the longest proofs, since the others say least. */
const GOALS_PER_STATEMENT_MAX = 4;

export interface FailedSearch {
  readonly statement: Pick<WorkItem['statement'], 'id' | 'header' | 'statement'>;
  readonly expansions: readonly ExpansionRecord[];
}

/**
 * A goal that cannot be stated as it is printed, or whose proof needs what stood around it, is left out: Lean refuses it.
 *
 * @param headerOf the header under which the searches ran
 */
export async function provedGoals(
  searches: readonly FailedSearch[],
  headerOf: (header: string | null) => string | null,
  verifier: Pick<Verifier, 'check'>,
  signal: AbortSignal,
): Promise<ClosedGoalRecord[]> {
  const records = searches.flatMap(({ statement: { id, header, statement: target }, expansions }) =>
    closedGoals(expansions)
      .filter(({ goal }) => !hasHiddenNames(goalStatement(goal)))
      .toSorted((one, other) => other.steps.length - one.steps.length)
      .slice(0, GOALS_PER_STATEMENT_MAX)
      .map(({ goal, steps }): ClosedGoalRecord => {
        const proof = steps.map(({ tactic }) => tactic).join('\n');
        return { statementId: id, header, target, statement: goalStatement(goal), proof, steps: [...steps] };
      }),
  );
  const results = await verifier.check(
    records.map(({ header, statement, proof }, index) => ({
      id: String(index),
      header: headerOf(header),
      statement,
      proof,
    })),
    { signal },
  );
  return records.filter((_, index) => results[index]!.kind === 'proved');
}
