/**
 * Assigns a problem to one half of its set, by its name alone. The assignment was fixed before any difficulty was
 * known.
 */
import { createHash } from 'node:crypto';
import type { Split } from '@stp/config/records';

/** Share of a set that is held out. */
export const HELD_OUT_SHARE = 0.3;

/**
 * Returns `held-out` if the first 32 bits of SHA-256 of `source` (as `isaplanner/prop_23`), divided by 2³², are below
 * the share.
 */
export function splitOfSource(source: string): Split {
  const fraction = createHash('sha256').update(source).digest().readUInt32BE(0) / 2 ** 32;
  return fraction < HELD_OUT_SHARE ? 'held-out' : 'train';
}
