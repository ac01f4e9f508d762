/** The report's table of a run's searches. */
import { sumSearches } from '@stp/config/records';
import type { ProverSection } from '../shard-turn.ts';

export const stepsSection: ProverSection = (rounds) => ({
  caption: 'Searches over proof states, one for each statement that was not proved before',
  heads: ['Round', 'Searches', 'Found a proof', 'States expanded', 'Tactics run', 'Lean, s'],
  rows: rounds.map(({ round, shards }) => {
    const found = sumSearches(shards.flatMap(({ search }) => search?.figures ?? []));
    return [round, found.searches, found.found, found.expansions, found.steps, (found.leanMs / 1_000).toFixed(1)];
  }),
});
