/** The replay of orders of actions, on a recording whose rule is known. */
import { expect, it } from 'vitest';
import type { RecordedStatement } from '../../tools/experiments/action-record.ts';
import { replayOrders, replayTable } from '../../tools/experiments/order-replay.ts';

const ENDS = ['rfl', 'simp', 'simp_all', 'omega', 'decide', 'grind', 'ext'];
/** A late action proves a statement depending on one of its constants; nothing proves one statement in three. */
const recorded = Array.from({ length: 60 }, (_, at): RecordedStatement => {
  const [constant, end] = [
    ['Nat.add', 'decide'],
    ['List.map', 'ext'],
    ['Option.bind', ''],
  ][at % 3]!;
  return {
    id: `s${at}`,
    split: 'train',
    labels: ['set', 'Area', `Module${at % 10}`],
    tokens: ['Eq', constant!],
    actions: ENDS.map((own) => ({
      proof: own,
      parts: ['begins:nothing', `ends:${own}`, 'names:nothing'],
      proved: own === end,
      ms: 10,
      kind: own === end ? 'proved' : 'rejected',
    })),
  };
});

it('finds all that is provable by any order in the end, and sooner by what depends on the statement', () => {
  const replay = replayOrders(recorded, { seeds: [1, 2], rounds: 12, msPerStatement: 3 });
  const of = (name: string) => replay.orders.find(({ order }) => order === name)!;
  for (const [seed, { train, heldOut }] of replay.sets.entries()) {
    expect(train.statements + heldOut.statements).toBe(60);
    expect(train.leastMs).toBe(10 * train.provable);
    for (const name of ['random', 'fixed', 'learned'])
      expect(of(name).train[seed]!.at(-1)!.proved).toBe(train.provable);
    // With what was learned on other modules: the first action of each statement proves it.
    const first = (name: string) => of(name).heldOut[seed]!.findLast(({ ms }) => ms <= 20 * heldOut.statements)!.proved;
    expect(first('learned')).toBe(heldOut.provable);
    expect(first('fixed')).toBeLessThan(heldOut.provable);
  }
  expect(replayTable(replay, [0.02])).toContain('| learned over fixed |');
});
