/** What the rounds before have left, read from their manifests. */
import type { ArtifactRef } from '../data/schemas/artifact.ts';
import { provedSchema } from '../data/schemas/records.ts';
import { type RoundManifest, rateSchema, roundManifestSchema } from '../data/schemas/round.ts';
import type { ObjectStore } from '../infra/stores/object-store.ts';
import { bestRates } from '../selfplay/rates.ts';
import { readAll, readJson, readRecords } from './record-files.ts';

export async function readManifests(store: ObjectStore, refs: readonly ArtifactRef[]): Promise<RoundManifest[]> {
  return Promise.all(refs.map((ref) => readJson(store, ref, roundManifestSchema)));
}

/** Best pass rate of every statement with a certified proof; what only the screen let through is still to be proved. */
export async function certifiedRates(
  store: ObjectStore,
  manifests: readonly RoundManifest[],
): Promise<Map<string, number>> {
  const best = bestRates(await Promise.all(manifests.map((manifest) => readAll(store, manifest.rates, rateSchema))));
  const certified = new Set<string>();
  for (const manifest of manifests)
    for await (const proof of readRecords(store, manifest.proved, provedSchema)) certified.add(proof.statementId);
  return new Map([...best].filter(([id]) => certified.has(id)));
}
