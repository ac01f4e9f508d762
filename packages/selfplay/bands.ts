/**
 * Bands of pass rates: statements that were proved, but not often, are the ones to learn from (STP §2.7, §2.9, §3;
 * golden behaviours 7 and 8).
 */
import { passRate, type Tally } from './rates.ts';

export interface Band {
  readonly max: number;
  /** Is the bound itself in the band? Here the paper and its code differ. */
  readonly inclusive: boolean;
}

/** In (0, max], or in (0, max) where the bound is excluded. A statement without an attempt is in no band. */
export function inBand(tally: Tally | null, band: Band): boolean {
  if (tally === null || tally.successes === 0) return false;
  const rate = passRate(tally);
  return band.inclusive ? rate <= band.max : rate < band.max;
}
