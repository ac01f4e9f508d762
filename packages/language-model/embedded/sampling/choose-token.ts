/**
 * Chooses a token from a row of log-probabilities, by temperature, nucleus (top-p, Holtzman et al. 2020) and one
 * uniform number. It sums in double precision in a fixed order, so equal rows and noise give the same token. It does
 * not sort: bisection finds the threshold of the nucleus.
 */
import type { SamplingOptions } from '../../generator.ts';
import type { ChosenToken } from './growing-sample.ts';

/** The tokens that may be chosen: ids below `size` except `neverId`. Rows from `size` on belong to no token. */
export interface ChoosableTokens {
  readonly size: number;
  readonly neverId: number | null;
}

/** Halvings of [0, 2] that separate any two weights that differ by more than a rounding error. */
const HALVINGS_MAX = 54;

export class TokenChooser {
  readonly #tokens: ChoosableTokens;
  readonly #probabilities: Float64Array;
  readonly #candidates: Float64Array;

  constructor(tokens: ChoosableTokens) {
    this.#tokens = tokens;
    this.#probabilities = new Float64Array(tokens.size);
    this.#candidates = new Float64Array(tokens.size);
  }

  /** Chooses by `uniform` in [0, 1). At temperature 0 it takes the most likely token, the lowest id among equals. */
  choose(row: Float32Array, sampling: Pick<SamplingOptions, 'temperature' | 'topP'>, uniform: number): ChosenToken {
    const id = sampling.temperature === 0 ? this.#likeliest(row) : this.#draw(row, sampling, uniform);
    return { id, logprob: row[id]! };
  }

  /** Returns the `count` most likely tokens in descending order, the lowest id first among equals. */
  likeliest(row: Float32Array, count: number): ChosenToken[] {
    const { size, neverId } = this.#tokens;
    const best: ChosenToken[] = [];
    for (let id = 0; id < size; id++) {
      const logprob = row[id]!;
      if (id === neverId || (best.length === count && logprob <= best.at(-1)!.logprob)) continue;
      let at = best.length;
      while (at > 0 && best[at - 1]!.logprob < logprob) at--;
      best.splice(at, 0, { id, logprob });
      if (best.length > count) best.pop();
    }
    return best;
  }

  #likeliest(row: Float32Array): number {
    const { size, neverId } = this.#tokens;
    let best = neverId === 0 ? 1 : 0;
    for (let id = best + 1; id < size; id++) if (id !== neverId && row[id]! > row[best]!) best = id;
    return best;
  }

  #draw(row: Float32Array, sampling: Pick<SamplingOptions, 'temperature' | 'topP'>, uniform: number): number {
    const { size, neverId } = this.#tokens;
    const probabilities = this.#probabilities;
    const likeliest = this.#likeliest(row);
    const highest = row[likeliest]!;
    let total = 0;
    for (let id = 0; id < size; id++) {
      const weight = id === neverId ? 0 : Math.exp((row[id]! - highest) / sampling.temperature);
      probabilities[id] = weight;
      total += weight;
    }
    const threshold = sampling.topP >= 1 ? 0 : this.#nucleusThreshold(total, sampling.topP);
    let kept = 0;
    for (let id = 0; id < size; id++) if (probabilities[id]! >= threshold) kept += probabilities[id]!;
    // The inverse of the cumulative distribution over ids in order.
    const target = uniform * kept;
    let cumulative = 0;
    let last = likeliest;
    for (let id = 0; id < size; id++) {
      const weight = probabilities[id]!;
      if (weight < threshold || weight === 0) continue;
      cumulative += weight;
      last = id;
      if (cumulative > target) return id;
    }
    return last;
  }

  /**
   * Returns the largest weight t such that the tokens of weight ≥ t hold `topP` of the total. Ties at t are all kept.
   */
  #nucleusThreshold(total: number, topP: number): number {
    const { size } = this.#tokens;
    const wanted = topP * total;
    // Tokens below this hold less than 1 − topP together, so none is in the nucleus.
    const floor = (total - wanted) / size;
    const open = this.#candidates;
    let count = 0;
    for (let id = 0; id < size; id++) if (this.#probabilities[id]! >= floor) open[count++] = this.#probabilities[id]!;
    // `open` holds the weights in [low, high). `above` is the mass from high upwards, which is too little alone.
    let low = 0;
    let high = 2;
    let above = 0;
    for (let halving = 0; halving < HALVINGS_MAX && count > 1; halving++) {
      const middle = (low + high) / 2;
      let upper = 0;
      for (let index = 0; index < count; index++) if (open[index]! >= middle) upper += open[index]!;
      const keepsUpper = above + upper >= wanted;
      let kept = 0;
      for (let index = 0; index < count; index++) {
        if (open[index]! >= middle === keepsUpper) open[kept++] = open[index]!;
      }
      count = kept;
      if (keepsUpper) low = middle;
      else {
        high = middle;
        above += upper;
      }
    }
    let threshold = open[0]!;
    for (let index = 1; index < count; index++) threshold = Math.min(threshold, open[index]!);
    return threshold;
  }
}
