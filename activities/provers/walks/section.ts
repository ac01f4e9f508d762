/** The report's table of a run's walks. */
import { figureOf, type ProverSection } from '../shard-turn.ts';

export const walksSection: ProverSection = (rounds) => ({
  caption: 'Walks over proof states',
  heads: ['Round', 'Walks', 'Lean, s'],
  rows: rounds.map(({ round, shards }) => [
    round,
    shards.reduce((sum, { walks }) => sum + (walks?.count ?? 0), 0),
    (figureOf(shards, 'walksLeanMs') / 1_000).toFixed(1),
  ]),
});
