/** Compares choices from logits that arrive in parts with choices from the whole distribution. Under a second. */
import { describe, expect, it } from 'vitest';
import { uniformAt } from '../embedded/sampling/philox.ts';
import { chooseLogit, type LogitSource } from './choose-logit.ts';

const GRID = 1_000;

/** Makes a source of logits by id, which records how many were requested at once. */
function sourceOf(logits: readonly number[], never: ReadonlySet<number> = new Set()) {
  const asked: number[] = [];
  const sorted = logits.map((logit, id) => ({ id, logit })).sort((left, right) => right.logit - left.logit);
  const source: LogitSource = {
    size: logits.length,
    isRestricted: never.size > 0,
    isChoosable: (id) => !never.has(id),
    likeliest: async (count) => {
      asked.push(count);
      return sorted.slice(0, count).filter(({ logit }) => logit !== Number.NEGATIVE_INFINITY);
    },
    allowed: async () => {
      asked.push(logits.length);
      return sorted.filter(({ id, logit }) => logit !== Number.NEGATIVE_INFINITY && !never.has(id));
    },
    weight: async (temperature) => {
      const highest = sorted[0]!.logit;
      return { highest, total: logits.reduce((sum, logit) => sum + Math.exp((logit - highest) / temperature), 0) };
    },
  };
  return { source, asked, sorted };
}

const random = (size: number, spread: number): number[] =>
  Array.from({ length: size }, (_, index) => spread * (uniformAt(3, index) - 0.5));

/** Shares of the tokens in the nucleus, summed and cut in the order of their probabilities. */
function expectedShares(logits: readonly number[], temperature: number, topP: number): Map<number, number> {
  const weights = logits.map((logit) => Math.exp(logit / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = weights.map((weight, id) => ({ id, share: weight / total })).sort((a, b) => b.share - a.share);
  const kept: { id: number; share: number }[] = [];
  let sum = 0;
  for (const one of order) {
    if (topP < 1 && sum >= topP) break;
    kept.push(one);
    sum += one.share;
  }
  return new Map(kept.map(({ id, share }) => [id, share / sum]));
}

describe('a choice', () => {
  it.each<[string, number[], number, number, ReadonlySet<number>?]>([
    ['of a peaked distribution', random(600, 60), 1, 0.95],
    ['at a low temperature', random(600, 12), 0.5, 0.9],
    ['at a high temperature', random(600, 24), 2, 0.5],
    ['of all tokens', random(600, 12), 1, 1],
    ['of a flat distribution, whose nucleus is most of it', random(700, 0.1), 1, 0.97],
    ['of some tokens', random(600, 12), 1, 1, new Set(Array(200).keys())],
    ['of a few of many equal tokens', random(700, 0.1), 1, 1, new Set(Array(680).keys())],
    ['of a nucleus of a few tokens', random(700, 6), 1, 0.6, new Set(Array(660).keys())],
  ])('%s falls on each token as often as it should', async (_, logits, temperature, topP, never = new Set()) => {
    const allowed = logits.map((logit, id) => (never.has(id) ? Number.NEGATIVE_INFINITY : logit));
    const expected = expectedShares(allowed, temperature, topP);
    const counts = new Map<number, number>();
    const { source } = sourceOf(logits, never);
    for (let index = 0; index < GRID; index++) {
      const { chosen } = await chooseLogit(source, { temperature, topP }, (index + 0.5) / GRID, 0);
      counts.set(chosen!.id, (counts.get(chosen!.id) ?? 0) + 1);
    }
    for (const id of counts.keys()) expect(expected.get(id)).toBeGreaterThan(0);
    for (const [id, share] of expected) expect(Math.abs((counts.get(id) ?? 0) / GRID - share)).toBeLessThan(2 / GRID);
  });

  it('asks for more only when it may fall on more', async () => {
    const peaked = sourceOf(random(3_000, 200));
    await chooseLogit(peaked.source, { temperature: 1, topP: 0.95 }, 0.99, 0);
    expect(peaked.asked).toEqual([256]);
    const flat = sourceOf(random(9_000, 0.1));
    await chooseLogit(flat.source, { temperature: 1, topP: 0.95 }, 0.99, 0);
    expect(flat.asked).toEqual([256, 4_096, 9_000]);
    // Half of the tokens are forbidden, and those beyond the first list weigh little.
    const halved = new Set(Array.from({ length: 1_500 }, (_, index) => 2 * index));
    const restricted = sourceOf(random(3_000, 200), halved);
    await chooseLogit(restricted.source, { temperature: 1, topP: 0.95 }, 0.5, 3);
    await chooseLogit(restricted.source, { temperature: 0.7, topP: 1 }, 0.5, 0);
    expect(restricted.asked).toEqual([256, 256]);
    // The weight of the allowed tokens beyond the first list decides.
    const open = sourceOf(random(3_000, 0.1), halved);
    await chooseLogit(open.source, { temperature: 1, topP: 1 }, 0.5, 0);
    expect(open.asked).toEqual([256, 3_000]);
  });

  it('has log-probabilities at temperature 1 over all, whatever the temperature', async () => {
    const logits = random(3_000, 24);
    const normaliser = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const { source, sorted } = sourceOf(logits);
    for (const temperature of [0, 0.3, 2]) {
      const { chosen, top } = await chooseLogit(source, { temperature, topP: 0.9 }, 0.4, 3);
      expect(chosen!.logprob).toBeCloseTo(logits[chosen!.id]! - normaliser, 9);
      expect(top.map(({ id }) => id)).toEqual(sorted.slice(0, 3).map(({ id }) => id));
    }
    expect((await chooseLogit(source, { temperature: 0, topP: 1 }, 0.9, 0)).chosen!.id).toBe(sorted[0]!.id);
  });

  it('never falls on what may not be chosen', async () => {
    const logits = random(400, 6).map((logit, id) => (id % 40 === 0 ? logit : Number.NEGATIVE_INFINITY));
    for (let index = 0; index < 50; index++) {
      const { source } = sourceOf(logits, new Set([80]));
      const { chosen } = await chooseLogit(source, { temperature: 3, topP: 1 }, index / 50, 0);
      expect(chosen!.id % 40).toBe(0);
      expect(chosen!.id).not.toBe(80);
    }
    // A table of tokens with many padded rows, likelier than any token.
    const rows = sourceOf(
      random(2_000, 6).toSorted((a, b) => b - a),
      new Set(Array(300).keys()),
    );
    expect((await chooseLogit(rows.source, { temperature: 0, topP: 1 }, 0.5, 2)).top.map(({ id }) => id)).toEqual([
      300, 301,
    ]);
    // The likeliest token is forbidden, and the others weigh nothing beside it.
    const far = sourceOf([4_000, 2, 1, 0], new Set([0]));
    const { chosen: likely } = await chooseLogit(far.source, { temperature: 1, topP: 1 }, 0.1, 0);
    expect(likely!.id).toBe(1);
    const { source } = sourceOf([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    expect((await chooseLogit(source, { temperature: 1, topP: 1 }, 0.5, 0)).chosen).toBeNull();
  });
});
