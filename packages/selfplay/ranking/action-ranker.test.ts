/** The ranker of actions: it learns what depends on statement and action together, and is the same bit for bit after a restart. */
import { expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { ActionRanker, rankerFeatures, statementTokens, type Try } from './action-ranker.ts';

const ENDS = ['simp', 'grind', 'omega', 'rfl'];
const CONSTANTS = ['List.map', 'List.filter', 'Nat.add', 'Option.bind'];

const parts = (end: string): string[] => ['begins:nothing', `ends:${end}`, 'names:nothing'];
const features = (constant: string, end: string) =>
  rankerFeatures(statementTokens('theorem t : True', [constant, 'Eq']), parts(end));
/** `omega` proves what speaks of `Nat.add`, `grind` what speaks of `List.map`; nothing else proves anything. */
const isProved = (constant: string, end: string): boolean =>
  (constant === 'Nat.add' && end === 'omega') || (constant === 'List.map' && end === 'grind');

function tries(count: number): Try[] {
  const random = randomStream('ranker test');
  return Array.from({ length: count }, () => {
    const [constant, end] = [CONSTANTS[random.below(4)]!, ENDS[random.below(4)]!];
    return { features: features(constant, end), proved: isProved(constant, end) };
  });
}

it('learns a planted rule that holds for pairs of statement and action alone', () => {
  const ranker = ActionRanker.trained(tries(400), 1);
  const chances = CONSTANTS.flatMap((constant) =>
    ENDS.map((end) => ({ chance: ranker.chance(features(constant, end)), proved: isProved(constant, end) })),
  );
  const least = Math.min(...chances.flatMap(({ chance, proved }) => (proved ? [chance] : [])));
  const most = Math.max(...chances.flatMap(({ chance, proved }) => (proved ? [] : [chance])));
  expect(least).toBeGreaterThan(0.5);
  expect(most).toBeLessThan(0.2);
  // Kinds of actions alone cannot tell: each proves a quarter of what it is tried on, or nothing.
  const blind = ActionRanker.trained(
    tries(400).map(({ proved }, at) => ({ features: rankerFeatures([], parts(ENDS[at % 4]!)), proved })),
    1,
  );
  expect(blind.chance(rankerFeatures([], parts('omega')))).toBeLessThan(0.4);
});

it('expects little of what it has never seen', () => {
  expect(ActionRanker.untrained().chance(features('List.map', 'grind'))).toBeCloseTo(0.02);
});

it('has the same weights bit for bit from the same tries, and from its bytes', () => {
  const [one, other] = [ActionRanker.trained(tries(300), 7), ActionRanker.trained(tries(300), 7)];
  expect(Buffer.from(other.weights()).equals(one.weights())).toBe(true);
  const again = ActionRanker.of(one.weights());
  for (const end of ENDS) expect(again.chance(features('Nat.add', end))).toBe(one.chance(features('Nat.add', end)));
  expect(Buffer.from(ActionRanker.trained(tries(300), 8).weights()).equals(one.weights())).toBe(false);
  expect(() => ActionRanker.of(one.weights().subarray(4))).toThrow('bytes');
});
