/** Histograms of pass rates. */
import { hasConjecturer, type RunConfig } from '@stp/config';
import type { Rate } from '@stp/config/records';
import { passRate } from '@stp/selfplay';

/** Bars of the histogram of pass rates above 0: (0, 0.1], (0.1, 0.2] … (0.9, 1]. */
export const RATE_BINS = 10;

/** Statements by pass rate. Those never proved stand apart: they are most of a dataset and would hide the rest. */
export interface RateHistogram {
  never: number;
  /** Counts of the bins, lowest first. */
  readonly bins: number[];
}

export const emptyHistogram = (): RateHistogram => ({ never: 0, bins: new Array<number>(RATE_BINS).fill(0) });

/** Counts a statement in; one without any attempt is left out. */
export function addRate(histogram: RateHistogram, rate: Rate): void {
  if (rate.attempts === 0) return;
  if (rate.successes === 0) histogram.never++;
  // Whole numbers, since a product such as 0.3 × 10 would cross the bin's end.
  else histogram.bins[Math.ceil((rate.successes * RATE_BINS) / rate.attempts) - 1]!++;
}

export interface Band {
  readonly bandMax: number;
  readonly bandInclusive: boolean;
}

/** The pass rates whose conjectures train: the conjecturer (docs/algorithm.md, section 7), or where it has no band, the prover. */
export function bandOf({ conjectures, selection }: Pick<RunConfig, 'conjectures' | 'selection'>): Band {
  const reward = hasConjecturer(conjectures) ? conjectures.reward : null;
  if (reward !== null && 'bandMax' in reward) return reward;
  return { bandMax: selection.proverBandMax, bandInclusive: selection.proverBandInclusive };
}

export function isInBand(rate: Rate, band: Band): boolean {
  const value = passRate(rate);
  return value > 0 && (value < band.bandMax || (band.bandInclusive && value === band.bandMax));
}
