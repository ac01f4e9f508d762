/** The report's table of statements whose samples a round compared. */
import type { ObjectiveSection } from './rewarded-rounds.ts';

export const groupsSection: ObjectiveSection = (rounds) => ({
  caption: 'Statements whose samples train the prover by their rewards',
  heads: ['Round', 'Groups compared', 'Groups that differ', 'Samples without reward'],
  rows: rounds.map(({ round, counts: { groups } }) => [
    round,
    groups?.compared ?? 0,
    groups?.withSignal ?? 0,
    groups?.samplesWithoutReward ?? 0,
  ]),
});
