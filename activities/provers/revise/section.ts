/** The report's table of a run's revisions. */
import { figureOf, type ProverSection } from '../shard-turn.ts';

export const reviseSection: ProverSection = (rounds) => ({
  caption: 'Answers that revise a failed proof by Lean’s errors',
  heads: ['Round', 'Samples', 'Revisions among them'],
  rows: rounds.map(({ round, shards }) => [
    round,
    shards.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
    figureOf(shards, 'revisions'),
  ]),
});
