/** Bands of pass rates. Statements that were proved, but not often, train the model (docs/algorithm.md, section 5). */
import { passRate, type Tally } from './rates.ts';

export interface Band {
  readonly max: number;
  /** Is the bound itself in the band? Here the paper and its code differ. */
  readonly inclusive: boolean;
}

/** Returns whether a rate is in (0, max], or in (0, max) if the bound is excluded. A statement without an attempt is in no band. */
export function inBand(tally: Tally | null, band: Band): boolean {
  if (tally === null || tally.successes === 0) return false;
  const rate = passRate(tally);
  return band.inclusive ? rate <= band.max : rate < band.max;
}
