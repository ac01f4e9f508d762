/** What a configuration's ranker sees of statements and actions (`prover.actions`). */
import type { ProverConfig } from '@stp/config';
import { type ActionFeatures, actionFeatures, type Failures, KIND_PARTS } from '@stp/selfplay';

/** What a ranker sees. */
export interface RankerView {
  features(tokens: readonly string[], parts: readonly string[]): ActionFeatures;
  after(failures: Failures, parts: readonly string[]): ActionFeatures;
}

const VIEWS: Readonly<Record<'rates' | 'learned', RankerView>> = {
  rates: { features: (_, parts) => actionFeatures([], parts.slice(0, KIND_PARTS)), after: () => new Uint32Array() },
  learned: { features: actionFeatures, after: (failures, parts) => failures.features(parts) },
};

/** Null: nothing is learned, the actions stand in their fixed order. */
export function rankerView(prover: ProverConfig): RankerView | null {
  const order = 'actions' in prover ? prover.actions : 'listed';
  return order === 'rates' || order === 'learned' ? VIEWS[order] : null;
}
