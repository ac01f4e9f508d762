/** Tests the cost of a round: its own tokens and those of its judges. Pure. */
import { expect, it } from 'vitest';
import { costOfTokens, NO_ROUND_COUNTS } from './round.ts';

it('adds what judges took to the price of the samples', () => {
  const counts = { ...NO_ROUND_COUNTS, tokens: 1_000_000, promptTokens: 500_000 };
  const judged = { requests: 3, answers: 2, promptTokens: 10, answerTokens: 10, cost: 0.25 };
  const price = { prompt: 1, answer: 2 };
  expect(costOfTokens(counts, price)).toBe(2.5);
  expect(costOfTokens({ ...counts, judged }, price)).toBe(2.75);
  expect(costOfTokens({ ...counts, judged }, null)).toBe(0.25);
  // These judges have no price.
  expect(costOfTokens({ ...counts, judged: { ...judged, cost: null } }, price)).toBe(2.5);
});
