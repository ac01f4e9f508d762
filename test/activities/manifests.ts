/** Manifests of rounds for tests: the values that a test gives, the rest empty. */

import {
  type ArtifactRef,
  NO_ROUND_COUNTS,
  type ObjectStore,
  type Proved,
  type Rate,
  type RoundManifest,
  type ShardResult,
} from '@stp/config/records';
import { writeRecords } from '../../activities/records/record-files.ts';

export interface RoundSpec {
  readonly round: number;
  readonly proved?: readonly Proved[];
  readonly rates?: readonly Rate[];
  readonly library?: ArtifactRef | null;
  readonly conjectures?: ArtifactRef | null;
  readonly shards?: readonly ShardResult[];
}

/** Writes the manifest of a round, and its proofs and rates, under `folder`. */
export async function writeManifest(store: ObjectStore, folder: string, spec: RoundSpec): Promise<ArtifactRef> {
  const rates = await writeRecords(store, `${folder}/rates.jsonl`, spec.rates ?? []);
  const manifest: RoundManifest = {
    round: spec.round,
    modelIn: 'm',
    rates,
    proved: await writeRecords(store, `${folder}/proved.jsonl`, spec.proved ?? []),
    library: spec.library ?? null,
    conjectures: spec.conjectures ?? null,
    conjecturerExamples: null,
    examples: null,
    shards: [...(spec.shards ?? [])],
    counts: NO_ROUND_COUNTS,
  };
  return store.put(`${folder}/manifest.json`, JSON.stringify(manifest));
}
