/**
 * Ranks the proofs of a problem in shuffled chunks, and converts ranks into points (LLMProofs' group judge). Chunks
 * have nearly equal sizes, so no proof is alone and gets points for nothing; each chunk gives the same mean.
 */
import type { Judging } from '@stp/config/records';
import type { Random } from '@stp/selfplay';

export type RankingConfig = Judging['ranking'];

/** Returns chunks of indices, with a shuffle for each round. A single proof is in no chunk. */
export function chunksOf(count: number, { rounds, together }: RankingConfig, random: Random): number[][][] {
  const indices = Array.from({ length: count }, (_, index) => index);
  const chunks = Math.ceil(count / together);
  return Array.from({ length: count < 2 ? 0 : rounds }, () => {
    const order = random.shuffle(indices);
    return Array.from({ length: chunks }, (_, at) =>
      order.slice(Math.floor((at * count) / chunks), Math.floor(((at + 1) * count) / chunks)),
    );
  });
}

/** Returns the points of each proof of a chunk by its rank; ties share the mean of the ranks that they span. */
export function pointsOf(ranks: readonly number[], { points: { first, last } }: RankingConfig): number[] {
  const atRank = (rank: number): number => first + ((last - first) * rank) / Math.max(1, ranks.length - 1);
  return sharedByTies(ranks, (a, b) => a - b, atRank);
}

/** Gives each item the mean of the values at the ranks that it and its equals span; ranks count from 0. */
export function sharedByTies<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  atRank: (rank: number) => number,
): number[] {
  return items.map((item) => {
    const before = items.filter((other) => compare(other, item) < 0).length;
    const equal = items.filter((other) => compare(other, item) === 0).length;
    return mean(Array.from({ length: equal }, (_, at) => atRank(before + at)));
  });
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
