/** The report's table of composed actions: a round whose shards had no ranker says that the order was fixed. */
import { expect, it } from 'vitest';
import { actionsSection } from '../../activities/provers/scripts/section.ts';
import type { RoundShards } from '../../activities/provers/shard-turn.ts';

const round = (number: number, ...figures: readonly Record<string, number>[]): RoundShards =>
  ({ round: number, shards: figures.map((its) => ({ figures: its })) }) as unknown as RoundShards;

it('says for each round which order there was, and adds up its shards', () => {
  const shard = { actionStatements: 10, actionsTried: 40, actionsProving: 3, actionsMs: 1_500, actionPriceMs: 1_200 };
  const { heads, rows } = actionsSection([round(0, shard, shard), round(1, { ...shard, actionsRanked: 40 })]);
  expect(heads).toHaveLength(rows[0]!.length);
  expect(rows).toEqual([
    [0, 'fixed', 20, 80, 6, '3.0', '2.4'],
    [1, 'ranker', 10, 40, 3, '1.5', '1.2'],
  ]);
});
