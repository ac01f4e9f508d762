/** Reads the rounds of a run from its folder. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ObjectStore, RoundManifest } from '@stp/config/records';
import { openRun } from '../../activities/report/open-run.ts';
import { readManifests } from '../../activities/run/history.ts';

export async function playedRounds(run: string): Promise<{ store: ObjectStore; manifests: RoundManifest[] }> {
  const { store, state } = await openRun(pathToFileURL(resolve(run)).href);
  const history = state.outcomes.map(({ manifest }) => manifest);
  return { store, manifests: await readManifests(store, history) };
}
