/** The table of composed actions in a report (`prover.actions`). */
import { figureOf, type ProverSection } from '../shard-turn.ts';

/** Rounds without a ranker show that their actions kept the fixed order. */
export const actionsSection: ProverSection = (rounds) => ({
  caption:
    'Actions that scripts composed for statements: in their fixed order, or by a ranker that learned from the tries of earlier rounds or of other runs',
  heads: ['Round', 'Order', 'Statements', 'Actions tried', 'Statements proved', 'Lean, s', 'Budget spent, s'],
  rows: rounds.map(({ round, shards }) => {
    const figure = (name: string): number => figureOf(shards, name);
    const order = figure('actionsRanked') > 0 ? 'ranker' : 'fixed';
    const seconds = (name: string): string => (figure(name) / 1_000).toFixed(1);
    return [
      ...[round, order, figure('actionStatements'), figure('actionsTried'), figure('actionsProving')],
      ...[seconds('actionsMs'), seconds('actionPriceMs')],
    ];
  }),
});
