/** The ranker of actions: it learns what depends on statement and action together, and is the same bit for bit after a restart. */
import { expect, it } from 'vitest';
import { randomStream } from '../random.ts';
import { ActionRanker, actionFeatures, fixedPrior, hashedTokens, type Try } from './action-ranker.ts';

const ENDS = ['simp', 'grind', 'omega', 'rfl'];
const CONSTANTS = ['List.map', 'List.filter', 'Nat.add', 'Option.bind'];

const PRIOR = Math.log(0.02 / 0.98);
const parts = (end: string): string[] => ['begins:nothing', `ends:${end}`, 'names:nothing'];
const features = (constant: string, end: string, prior = PRIOR) =>
  actionFeatures(prior, hashedTokens(['size:4', constant, 'Eq']), parts(end));
/** `omega` proves what speaks of `Nat.add`, `grind` what speaks of `List.map`; nothing else proves anything. */
const isProved = (constant: string, end: string): boolean =>
  (constant === 'Nat.add' && end === 'omega') || (constant === 'List.map' && end === 'grind');

function tries(count: number): Try[] {
  const random = randomStream('ranker test');
  return Array.from({ length: count }, () => {
    const [constant, end] = [CONSTANTS[random.below(4)]!, ENDS[random.below(4)]!];
    return { ...features(constant, end), proved: isProved(constant, end) };
  });
}
const chanceOf = (ranker: ActionRanker, constant: string, end: string): number =>
  ranker.chance(features(constant, end));

it('learns a planted rule that holds for pairs of statement and action alone', () => {
  const ranker = ActionRanker.trained(tries(400), 1);
  const chances = CONSTANTS.flatMap((constant) =>
    ENDS.map((end) => ({ chance: chanceOf(ranker, constant, end), proved: isProved(constant, end) })),
  );
  const least = Math.min(...chances.flatMap(({ chance, proved }) => (proved ? [chance] : [])));
  const most = Math.max(...chances.flatMap(({ chance, proved }) => (proved ? [] : [chance])));
  expect(least).toBeGreaterThan(0.5);
  expect(most).toBeLessThan(0.2);
});

it('keeps the fixed order while it has learned nothing', () => {
  const ranker = ActionRanker.trained([], 1);
  const prices = [8, 45, 8, 20, 90];
  let before = 0;
  const scores = prices.map((price) => {
    before += price;
    return ranker.chance(features('List.map', 'simp', fixedPrior(price, before - price))) / price;
  });
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(chanceOf(ranker, 'List.map', 'grind')).toBeCloseTo(0.02);
});

it('has the same weights bit for bit from the same tries, and from its bytes', () => {
  const [one, other] = [ActionRanker.trained(tries(300), 7), ActionRanker.trained(tries(300), 7)];
  expect(Buffer.from(other.weights()).equals(one.weights())).toBe(true);
  const again = ActionRanker.of(one.weights());
  for (const end of ENDS) expect(chanceOf(again, 'Nat.add', end)).toBe(chanceOf(one, 'Nat.add', end));
  expect(Buffer.from(ActionRanker.trained(tries(300), 8).weights()).equals(one.weights())).toBe(false);
  expect(() => ActionRanker.of(one.weights().subarray(4))).toThrow('bytes');
});

it('starts from another ranker: without tries it is that ranker, and tries of its own correct it', () => {
  const taught = ActionRanker.trained(tries(400), 1);
  expect(Buffer.from(ActionRanker.trained([], 1, taught).weights()).equals(taught.weights())).toBe(true);
  const own = Array.from({ length: 40 }, () => ({ ...features('List.filter', 'rfl'), proved: true }));
  const both = ActionRanker.trained(own, 1, taught);
  expect(chanceOf(taught, 'List.filter', 'rfl')).toBeLessThan(0.2);
  expect(chanceOf(both, 'List.filter', 'rfl')).toBeGreaterThan(0.5);
  expect(chanceOf(both, 'Nat.add', 'omega')).toBeGreaterThan(0.5);
  const damaged = taught.weights();
  damaged.fill(0xff, 0, 4);
  expect(() => ActionRanker.of(damaged)).toThrow('numbers');
});

it('learns little by heart: where nothing but chance decides, it stays near the share of proofs on statements it has not seen', () => {
  const share = 0.05;
  const random = randomStream('ranker test', 'chance');
  const constants = Array.from({ length: 60 }, (_, at) => `Constant${at}`);
  const one = (): Try => {
    const tokens = hashedTokens(random.shuffle(constants).slice(0, 15));
    return { ...actionFeatures(PRIOR, tokens, parts(ENDS[random.below(4)]!)), proved: random.next() < share };
  };
  const ranker = ActionRanker.trained(Array.from({ length: 3_000 }, one), 1);
  const chances = Array.from({ length: 1_000 }, () => ranker.chance(one()));
  // The mean loss in nats above that of the share itself.
  const loss = chances.reduce(
    (sum, chance) => sum + share * Math.log(share / chance) + (1 - share) * Math.log((1 - share) / (1 - chance)),
    0,
  );
  expect(loss / chances.length).toBeLessThan(0.03);
});
