import type { RunConfig } from '@stp/config';
import { fateOf, REPEATS_FIRST, SAMPLES_PER_STATEMENT, SFT_EXAMPLES } from './synthetic-round.ts';

/** The figures that selection must arrive at, worked out from the rule alone. No least elegant share may be dropped. */
export function expectedCounts(samples: number, config: RunConfig) {
  const counts = {
    attempted: 0,
    conjecturesAttempted: 0,
    conjecturesProved: 0,
    conjecturesKept: 0,
    provedThisRound: 0,
    certified: 0,
    certificateRefused: 0,
    proverExamples: 0,
    retrained: SFT_EXAMPLES,
  };
  let used = 0;
  let unused = 0;
  for (let index = 0; index < samples / SAMPLES_PER_STATEMENT; index++) {
    const { origin, proofs, infra, usesLemma, refused } = fateOf(index);
    if (origin === 'dataset') counts.attempted++;
    if (origin === 'conjecture') counts.conjecturesAttempted++;
    if (proofs === 0) continue;
    // The text that comes twice is one proof and two successes.
    const distinct = proofs > REPEATS_FIRST ? proofs - 1 : proofs;
    const rate = (distinct + 1) / (SAMPLES_PER_STATEMENT - (infra ? 1 : 0));
    counts[refused ? 'certificateRefused' : 'certified'] += distinct;
    if (refused) continue;
    counts[origin === 'dataset' ? 'provedThisRound' : 'conjecturesProved']++;
    if (rate <= config.selection.proverBandMax) counts.proverExamples += distinct;
    if (origin === 'dataset' || rate <= config.retrain.conjectureBandMax)
      counts.retrained += Math.min(distinct, config.retrain.proofsPerStatementMax);
    if (origin === 'dataset' || rate >= config.conjectures.bandMax) continue;
    if (usesLemma) used++;
    else unused++;
  }
  const { unusedLemmaFactor, unusedLemmaLeast } = config.conjectures;
  counts.conjecturesKept = used + Math.min(unused, Math.max(unusedLemmaFactor * used, unusedLemmaLeast));
  counts.retrained += counts.conjecturesKept;
  return counts;
}
