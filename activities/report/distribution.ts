/** Histograms of pass rates. */
import { hasConjecturer, type RunConfig } from '@stp/config';
import type { Rate } from '@stp/config/records';
import { passRate } from '@stp/selfplay';

/** Bars of the histogram of pass rates above 0: (0, 0.1], (0.1, 0.2] … (0.9, 1]. */
export const RATE_BINS = 10;

/**
 * Counts of statements by pass rate. Statements that were never proved are counted apart: they are most of a dataset
 * and would hide the rest.
 */
export interface RateHistogram {
  never: number;
  /** Counts of the bins, lowest first. */
  readonly bins: number[];
}

export const emptyHistogram = (): RateHistogram => ({ never: 0, bins: new Array<number>(RATE_BINS).fill(0) });

/** Adds a statement to the histogram; a statement without any attempt is left out. */
export function addRate(histogram: RateHistogram, rate: Rate): void {
  if (rate.attempts === 0) return;
  if (rate.successes === 0) histogram.never++;
  // Integer arithmetic: a product such as 0.3 × 10 could cross the end of a bin.
  else histogram.bins[Math.ceil((rate.successes * RATE_BINS) / rate.attempts) - 1]!++;
}

export interface Band {
  readonly bandMax: number;
  readonly bandInclusive: boolean;
}

/**
 * Returns the range of pass rates whose conjectures train the conjecturer (docs/algorithm.md, section 7); if it has no
 * band, the prover's range.
 */
export function bandOf({ conjectures, selection }: Pick<RunConfig, 'conjectures' | 'selection'>): Band {
  const reward = hasConjecturer(conjectures) ? conjectures.reward : null;
  if (reward !== null && 'bandMax' in reward) return reward;
  return { bandMax: selection.proverBandMax, bandInclusive: selection.proverBandInclusive };
}

export function isInBand(rate: Rate, band: Band): boolean {
  const value = passRate(rate);
  return value > 0 && (value < band.bandMax || (band.bandInclusive && value === band.bandMax));
}
