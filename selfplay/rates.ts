/** Pass rates (STP §2.6, golden behaviours 2, 3 and 14). */

import type { Sample, Verdict } from '../data/schemas/records.ts';
import type { Rate } from '../data/schemas/round.ts';

/** Successes and attempts a statement, multiplicity counted. A sample without a verdict, or with `infra`, counts in neither. */
export function countRates(
  samples: readonly Sample[],
  verdicts: ReadonlyMap<string, Verdict>,
  origin: (statementId: string) => Rate['origin'],
): Rate[] {
  const rates = new Map<string, Rate>();
  for (const sample of samples) {
    const verdict = verdicts.get(sample.id);
    const rate = rates.get(sample.statementId) ?? {
      statementId: sample.statementId,
      origin: origin(sample.statementId),
      attempts: 0,
      successes: 0,
    };
    const counted = verdict !== undefined && verdict.kind !== 'infra';
    rates.set(sample.statementId, {
      ...rate,
      attempts: rate.attempts + (counted ? sample.multiplicity : 0),
      successes: rate.successes + (verdict?.kind === 'proved' ? sample.multiplicity : 0),
    });
  }
  return [...rates.values()];
}

export function passRate(rate: { attempts: number; successes: number }): number {
  return rate.attempts === 0 ? 0 : rate.successes / rate.attempts;
}

/** Best pass rate of any round for every statement that was ever proved (STP's `succ_rates`: the maximum over rounds). */
export function bestRates(rounds: readonly (readonly Rate[])[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const round of rounds)
    for (const rate of round)
      if (rate.successes > 0) best.set(rate.statementId, Math.max(best.get(rate.statementId) ?? 0, passRate(rate)));
  return best;
}

/** Attempts and successes over several rounds together, for bands over a replay window. */
export function sumRates(rounds: readonly (readonly Rate[])[]): Map<string, Rate> {
  const total = new Map<string, Rate>();
  for (const rate of rounds.flat()) {
    const seen = total.get(rate.statementId);
    total.set(
      rate.statementId,
      seen ? { ...seen, attempts: seen.attempts + rate.attempts, successes: seen.successes + rate.successes } : rate,
    );
  }
  return total;
}
