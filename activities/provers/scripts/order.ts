/** What a configuration's ranker sees of statements and actions (`prover.actions`). */
import type { ProverConfig } from '@stp/config';
import { type Features, KIND_PARTS, rankerFeatures } from '@stp/selfplay';

export type FeaturesOf = (tokens: readonly string[], parts: readonly string[]) => Features;

const VIEWS: Readonly<Record<'rates' | 'learned', FeaturesOf>> = {
  rates: (_, parts) => rankerFeatures([], parts.slice(0, KIND_PARTS)),
  learned: rankerFeatures,
};

/** Null: nothing is learned, the actions stand in their fixed order. */
export function featuresFor(prover: ProverConfig): FeaturesOf | null {
  const order = 'actions' in prover ? prover.actions : 'listed';
  return order === 'rates' || order === 'learned' ? VIEWS[order] : null;
}
