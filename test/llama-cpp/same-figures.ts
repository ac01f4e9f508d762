/** Compares llama.cpp's greedy samples with the embedded engine's. */
import type { Completion } from '@stp/language-model';
import { SAMPLING } from '@stp/language-model/testing';
import { expect } from 'vitest';

export const GREEDY = { ...SAMPLING, temperature: 0, maxTokens: 4, tokenLogprobs: true, topLogprobs: 3 };

/** Expects the same tokens and log-probabilities. Returns the number of tokens that it compared. */
export function expectSameFigures(
  found: readonly Completion[],
  expected: readonly Completion[],
  closeness: number,
): number {
  let compared = 0;
  for (const [index, { tokenLogprobs = [] }] of found.entries())
    for (const [at, { token, logprob, top = [] }] of tokenLogprobs.entries()) {
      const theirs = expected[index]!.tokenLogprobs![at]!;
      expect(top).toHaveLength(3);
      expect(token).toBe(top[0]!.token);
      const isClose = theirs.logprob - theirs.top![1]!.logprob < 2 * closeness;
      if (token !== theirs.token) {
        // Rounding decides between two tokens; what follows is another text.
        expect(isClose).toBe(true);
        break;
      }
      expect(Math.abs(logprob - theirs.logprob)).toBeLessThan(closeness);
      compared++;
      // Pieces of characters look alike, so this may be the other one of two.
      if (isClose && token.includes('\uFFFD')) break;
    }
  return compared;
}
