/** Bands of pass rates. Statements that were proved, but not often, train the model (docs/algorithm.md, section 5). */
import { passRate, type Tally } from './rates.ts';

export interface Band {
  readonly max: number;
  /** Does the band include its bound? The paper and its code differ here. */
  readonly inclusive: boolean;
}

/**
 * Returns whether a rate is in (0, max], or in (0, max) if the bound is excluded. A statement without attempts is in no
 * band.
 */
export function inBand(tally: Tally | null, band: Band): boolean {
  if (tally === null || tally.successes === 0) return false;
  const rate = passRate(tally);
  return band.inclusive ? rate <= band.max : rate < band.max;
}
