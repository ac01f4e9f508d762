/** Follows conjecture texts through a round: how many remain after each step. Pure. */
import { gateVerdictSchema } from '@stp/config/records';
import type { RunFigures } from './figures.ts';

export const FUNNEL_STEPS = [
  'texts made',
  'parsed',
  'holds on tests',
  'new',
  'elaborates',
  'passed the gate',
  'attempted',
  'proved',
  'in band',
  'kept',
  'matched',
] as const;
type FunnelStep = (typeof FUNNEL_STEPS)[number];

/** Reasons why the gate refuses texts, in the order of the gate. */
export const GATE_REASONS = gateVerdictSchema.exclude(['accepted']).options;

export interface RoundFunnel {
  readonly round: number;
  readonly left: Readonly<Record<FunnelStep, number>>;
}

/**
 * Returns a funnel for each round that made texts. `forbidden` texts count as unparsable, since no further question is
 * asked about them.
 */
export function funnel({ rounds }: Pick<RunFigures, 'rounds'>): RoundFunnel[] {
  return rounds
    .filter(({ counts }) => counts.conjecturesMade > 0)
    .map(({ round, counts, conjecturesInBand }) => {
      const { gate } = counts;
      const parsed = counts.conjecturesMade - (gate.unparsable ?? 0) - (gate.forbidden ?? 0);
      const holds = parsed - (gate['fails-tests'] ?? 0) - (gate.follows ?? 0);
      const fresh = holds - (gate.duplicate ?? 0);
      const elaborates = fresh - (gate['not-elaborating'] ?? 0);
      const passed = elaborates - (gate.trivial ?? 0) - (gate.vacuous ?? 0) - (gate.refutable ?? 0);
      return {
        round,
        left: {
          'texts made': counts.conjecturesMade,
          parsed,
          'holds on tests': holds,
          new: fresh,
          elaborates,
          'passed the gate': passed,
          attempted: counts.conjecturesAttempted,
          proved: counts.conjecturesProved,
          'in band': conjecturesInBand,
          kept: counts.conjecturesKept,
          matched: counts.conjecturesMatched,
        },
      };
    });
}
