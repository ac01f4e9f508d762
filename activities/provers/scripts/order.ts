/** What a configuration's ranker sees of statements and actions (`prover.actions`). */
import type { ProverConfig } from '@stp/config';
import { type Failures, type Features, KIND_PARTS, rankerFeatures } from '@stp/selfplay';

/** What a ranker sees. */
export interface RankerView {
  features(tokens: readonly string[], parts: readonly string[]): Features;
  after(failures: Failures, parts: readonly string[]): Features;
}

const VIEWS: Readonly<Record<'rates' | 'learned', RankerView>> = {
  rates: { features: (_, parts) => rankerFeatures([], parts.slice(0, KIND_PARTS)), after: () => new Uint32Array() },
  learned: { features: rankerFeatures, after: (failures, parts) => failures.features(parts) },
};

/** Null: nothing is learned, the actions stand in their fixed order. */
export function rankerView(prover: ProverConfig): RankerView | null {
  const order = 'actions' in prover ? prover.actions : 'listed';
  return order === 'rates' || order === 'learned' ? VIEWS[order] : null;
}
