/** The results of earlier rounds, read from their manifests. */
import type { RunConfig } from '@stp/config';
import {
  type ArtifactRef,
  type ObjectStore,
  type RoundManifest,
  rateSchema,
  roundManifestSchema,
} from '@stp/config/records';
import { keepBest } from '@stp/selfplay';
import { readJson, readRecords } from '../records/record-files.ts';

export async function readManifests(store: ObjectStore, refs: readonly ArtifactRef[]): Promise<RoundManifest[]> {
  return Promise.all(refs.map((ref) => readJson(store, ref, roundManifestSchema)));
}

/** Reads the manifest of the last round; undefined if none was played. */
export async function lastManifest(
  store: ObjectStore,
  refs: readonly ArtifactRef[],
): Promise<RoundManifest | undefined> {
  const [last] = await readManifests(store, refs.slice(-1));
  return last;
}

/**
 * Returns the best pass rate of every proved statement over the rounds that proved it. Keeps one number for each
 * statement, read from files without texts.
 */
export async function bestRates(
  store: ObjectStore,
  rounds: readonly Pick<RoundManifest, 'rates'>[],
): Promise<Map<string, number>> {
  const best = new Map<string, number>();
  for (const { rates } of rounds) for await (const rate of readRecords(store, rates, rateSchema)) keepBest(best, rate);
  return best;
}

/**
 * Returns the earlier rounds whose proofs are replayed, newest first: the last `replayRounds − 1` that were played, or
 * all of them, but none from before a retraining that emptied the window (docs/algorithm.md, sections 6 and 9).
 *
 * @param earlier manifests of the earlier rounds, oldest first
 */
export function replayWindow(
  earlier: readonly RoundManifest[],
  replayFrom: number,
  replayRounds: RunConfig['selection']['replayRounds'],
): RoundManifest[] {
  const newestFirst = earlier.filter((manifest) => manifest.round >= replayFrom).toReversed();
  return replayRounds === null ? newestFirst : newestFirst.slice(0, replayRounds - 1);
}
