/** Chooses the theorems held out from an SFT set, on which its held-out loss is measured. */
import { type Random, statementKey } from '@stp/selfplay';

/** Held-out share of a LeanDojo set, with a maximum number of theorems. */
export const TRACED_HELD_OUT = { most: 4_096, share: 0.1 } as const;
/** Held-out share of the library: small for the training, large enough for a mean. */
export const LIBRARY_HELD_OUT = { most: 64, share: 0.02 } as const;

/**
 * Returns the keys (`statementKey`) of the held-out theorems, a seeded choice. A key covers all theorems with the same
 * statement. STP holds out a name instead and leaves the theorem in its conjecturer tuples.
 */
export function chooseHeldOut(
  statements: readonly string[],
  { most, share }: { readonly most: number; readonly share: number },
  random: Random,
): ReadonlySet<string> {
  const keys = [...new Set(statements.map((statement) => statementKey(null, statement)))];
  return new Set(random.shuffle(keys).slice(0, Math.min(most, Math.floor(share * keys.length))));
}
