/** How a configuration orders actions: what a ranker sees of statement and action. */
import type { ProverConfig } from '@stp/config';
import { type Features, rankerFeatures } from '@stp/selfplay';

export type FeaturesOf = (tokens: readonly string[], parts: readonly string[]) => Features;

/** Parts that say the kind of an action: how it begins, how it ends, what it names. */
const KIND_PARTS = 3;

/** Null: nothing is learned, the actions stand in their fixed order. */
export function featuresFor(prover: ProverConfig): FeaturesOf | null {
  if (!('actions' in prover)) return null;
  if (prover.actions === 'learned') return rankerFeatures;
  if (prover.actions === 'rates') return (_, parts) => rankerFeatures([], parts.slice(0, KIND_PARTS));
  return null;
}
