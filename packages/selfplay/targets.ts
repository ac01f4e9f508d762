/**
 * Makes the training examples that teach the first model to conjecture from unproved targets, as SGS does (arXiv 2604.20209).
 */
import type { LibraryTheorem } from '@stp/config/records';
import type { Random } from './random.ts';

/** Two theorems at most this far apart in a file count as related. */
export const NEIGHBOUR_DISTANCE_MAX = 5;

export interface TargetPair {
  /** The later theorem of the library. */
  readonly target: LibraryTheorem;
  /** An earlier theorem of the same file that the target's proof uses or that is near it. */
  readonly easier: LibraryTheorem;
}

/**
 * Returns (later theorem, earlier theorem) pairs, at most `max` for each later theorem (null: all). Pairs whose proof
 * uses the earlier theorem come before mere neighbours.
 *
 * @param theorems in file order
 */
export function targetPairs(theorems: readonly LibraryTheorem[], max: number | null, random: Random): TargetPair[] {
  const pairs: TargetPair[] = [];
  for (const own of Map.groupBy(theorems, (theorem) => theorem.file).values()) {
    const indexOf = new Map(own.map((theorem, index) => [theorem.name, index]));
    for (const [index, target] of own.entries()) {
      const used = target.premises.flatMap((name) => {
        const at = indexOf.get(name);
        return at !== undefined && at < index ? [own[at]!] : [];
      });
      const near = own.slice(Math.max(0, index - NEIGHBOUR_DISTANCE_MAX), index);
      const easier = new Set([...random.shuffle(used), ...random.shuffle(near)]);
      for (const one of [...easier].slice(0, max ?? easier.size)) pairs.push({ target, easier: one });
    }
  }
  return pairs;
}
