/** Counts pass rates (docs/algorithm.md, section 5). */

import type { Rate, Sample, Verdict } from '@stp/config/records';

/** Samples with their verdicts, by sample id. */
export interface JudgedSamples {
  readonly samples: readonly Sample[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/**
 * Counts successes and attempts of each statement, with multiplicity. A sample without a verdict, or with `infra`,
 * counts in neither. The order is that of the statements' first samples.
 */
export function countRates(
  { samples, verdicts }: JudgedSamples,
  origin: (statementId: string) => Rate['origin'],
): Rate[] {
  const rates = new Map<string, Rate>();
  for (const { id, statementId, multiplicity } of samples) {
    const kind = verdicts.get(id)?.kind ?? 'infra';
    const rate = rates.get(statementId) ?? { statementId, origin: origin(statementId), attempts: 0, successes: 0 };
    rate.attempts += kind === 'infra' ? 0 : multiplicity;
    rate.successes += kind === 'proved' ? multiplicity : 0;
    rates.set(statementId, rate);
  }
  return [...rates.values()];
}

export interface Tally {
  readonly attempts: number;
  readonly successes: number;
}

export function passRate(rate: Tally): number {
  return rate.attempts === 0 ? 0 : rate.successes / rate.attempts;
}

/** Raises a proved statement's best rate to this round's (the maximum over rounds). */
export function keepBest(best: Map<string, number>, rate: Rate): void {
  if (rate.successes > 0) best.set(rate.statementId, Math.max(best.get(rate.statementId) ?? 0, passRate(rate)));
}

const FIRST_CAPACITY = 1_024;

/**
 * Attempts and successes by statement, summed over rounds; two numbers for each statement, for hundreds of thousands of
 * statements.
 */
export class RateTable {
  readonly #indices = new Map<string, number>();
  #numbers = new Float64Array(2 * FIRST_CAPACITY);

  add(statementId: string, { attempts, successes }: Tally): void {
    let index = this.#indices.get(statementId);
    if (index === undefined) {
      index = this.#indices.size;
      this.#indices.set(statementId, index);
      if (2 * index === this.#numbers.length) {
        const grown = new Float64Array(2 * this.#numbers.length);
        grown.set(this.#numbers);
        this.#numbers = grown;
      }
    }
    this.#numbers[2 * index]! += attempts;
    this.#numbers[2 * index + 1]! += successes;
  }

  get(statementId: string): Tally | null {
    const index = this.#indices.get(statementId);
    if (index === undefined) return null;
    return { attempts: this.#numbers[2 * index]!, successes: this.#numbers[2 * index + 1]! };
  }
}
