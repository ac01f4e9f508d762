/**
 * The matching weight of a statement in a round (docs/algorithm.md, sections 7 and 12): how much its set counts when
 * conjectures are matched to it.
 */
import type { RunConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';

/**
 * Returns the last weight of the set's schedule that has begun by `round`. If the schedule omits the set or begins
 * later, returns the statement's own weight. A statement's set is its first label.
 *
 * @returns a positive number; 1 for a set without a weight
 */
export function matchingWeight(
  schedule: RunConfig['data']['weights'],
  statement: Pick<Statement, 'labels' | 'weight'>,
  round: number,
): number {
  const set = statement.labels[0];
  const begun = (set === undefined ? [] : (schedule[set] ?? [])).filter(({ fromRound }) => fromRound <= round);
  const latest = begun.reduce<(typeof begun)[number] | null>(
    (last, entry) => (last === null || entry.fromRound >= last.fromRound ? entry : last),
    null,
  );
  return latest?.weight ?? statement.weight;
}
