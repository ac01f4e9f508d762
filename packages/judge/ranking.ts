/**
 * Ranks the proofs of a problem in shuffled chunks, and converts ranks to points (LLMProofs' group judge). Chunk sizes
 * are as equal as possible, so that no proof is alone in a chunk and gets points unopposed. Every chunk gives the same
 * mean.
 */
import type { Judging } from '@stp/config/records';
import type { Random } from '@stp/selfplay';

export type RankingConfig = Judging['ranking'];

/** Returns chunks of indices, shuffled for each round. A single proof is in no chunk. */
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

/** Returns the points of a chunk's proofs by rank. Ties share the mean of the ranks that they span. */
export function pointsOf(ranks: readonly number[], { points: { first, last } }: RankingConfig): number[] {
  const atPlace = (place: number): number => first + ((last - first) * place) / Math.max(1, ranks.length - 1);
  return sharedByTies(ranks, (a, b) => a - b, atPlace);
}

/** Gives each item the mean of the values at the ranks that it and its ties span; ranks count from 0. */
export function sharedByTies<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  atPlace: (place: number) => number,
): number[] {
  return items.map((item) => {
    const before = items.filter((other) => compare(other, item) < 0).length;
    const equal = items.filter((other) => compare(other, item) === 0).length;
    return mean(Array.from({ length: equal }, (_, at) => atPlace(before + at)));
  });
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
