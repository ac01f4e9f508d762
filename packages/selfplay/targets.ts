/**
 * Makes the training examples that teach the first model to conjecture from unproved targets, as SGS does (arXiv 2604.20209).
 */
import type { LibraryTheorem } from '@stp/config/records';
import type { Random } from './random.ts';

/** Theorems this far apart in a file are still about the same thing. */
const NEIGHBOUR_DISTANCE_MAX = 5;

export interface TargetPair {
  /** The later theorem of the library. */
  readonly target: LibraryTheorem;
  /** An earlier one of the same file that its proof uses or that stands near it. */
  readonly easier: LibraryTheorem;
}

/**
 * (later theorem, earlier theorem) pairs, those whose proof uses the earlier one before mere neighbours, `max` for each
 * later theorem; null: all.
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
