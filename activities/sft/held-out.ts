/**
 * Chooses the theorems that are kept out of an SFT set, so that its loss can be measured on proofs outside the
 * training.
 */
import { type Random, statementKey } from '@stp/selfplay';

/** Share of a LeanDojo set that is held out, but never more than a tenth of what there is. */
export const TRACED_HELD_OUT = { most: 4_096, share: 0.1 } as const;
/** Share of the library that is held out: training hardly misses it, and it is enough for a mean. */
export const LIBRARY_HELD_OUT = { most: 64, share: 0.02 } as const;

/**
 * Keys (`statementKey`) of the held-out theorems, a seeded choice. A key stands for all theorems that say the same: STP
 * holds a name out and leaves the theorem in its conjecturer tuples.
 */
export function chooseHeldOut(
  statements: readonly string[],
  { most, share }: { readonly most: number; readonly share: number },
  random: Random,
): ReadonlySet<string> {
  const keys = [...new Set(statements.map((statement) => statementKey(null, statement)))];
  return new Set(random.shuffle(keys).slice(0, Math.min(most, Math.floor(share * keys.length))));
}
