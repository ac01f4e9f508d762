/** Features of statements and actions for the ranker that a configuration names (`prover.actions`). */
import type { ProverConfig } from '@stp/config';
import { type ActionFeatures, actionFeatures, KIND_PARTS } from '@stp/selfplay';

export type FeaturesOf = (tokens: readonly string[], parts: readonly string[]) => ActionFeatures;

const VIEWS: Readonly<Record<'rates' | 'learned', FeaturesOf>> = {
  rates: (_, parts) => actionFeatures([], parts.slice(0, KIND_PARTS)),
  learned: actionFeatures,
};

/** Null: no ranker is trained, and the actions keep their fixed order. */
export function featuresFor(prover: ProverConfig): FeaturesOf | null {
  const order = 'actions' in prover ? prover.actions : 'listed';
  return order === 'rates' || order === 'learned' ? VIEWS[order] : null;
}
