/**
 * Reads the state of a finished, running or failed run from its store: its last state, and its summary if it has one.
 */

import { describeIssues, StpError } from '@stp/base';
import { type ArtifactRef, type ObjectStore, summarySchema } from '@stp/config/records';
import type { z } from 'zod';
import { readLinks } from '../../infra/monitor/trackers/tracker.ts';
import { withMoved } from '../../infra/stores/moved.ts';
import { withNeighbours } from '../../infra/stores/neighbours.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { costOfRun } from '../run/cost.ts';
import { runStateSchema } from '../run/run-state.ts';
import type { RunSource } from './gather.ts';

/**
 * @param uri of the run's folder, without a slash at its end
 * @throws STP1403 if there is no run, or it has not trained its first model yet
 */
export async function openRun(uri: string): Promise<Omit<RunSource, 'losses'>> {
  const folder = uri.slice(0, uri.lastIndexOf('/'));
  const store = withNeighbours(await openStore(uri), folder);
  const ref = await lastState(store);
  if (ref === null)
    throw new StpError(
      'STP1403',
      `${uri} holds no run with anything to report yet`,
      'Name the folder or URI of a run that has trained its first model.',
      { facts: { uri } },
    );
  const state = await readOwn(store, ref, runStateSchema);
  const summaryRef = await store.stat('summary.json');
  const summary = summaryRef === null ? null : await readOwn(store, summaryRef, summarySchema);
  const written = /^(.*)\/[^/]+\/data\//.exec(state.data.train.uri)?.[1] ?? folder;
  return {
    run: uri.slice(folder.length + 1),
    store: withMoved(store, written, folder),
    state: summary === null ? state : { ...state, secondsPerStage: summary.secondsPerStage },
    evaluation: summary?.heldOut ?? null,
    finished: summary !== null,
    leanVersion: summary?.leanVersion ?? null,
    ineligibleBecause: summary?.ineligibleBecause ?? [],
    cost: summary?.cost ?? costOfRun(state),
    tracking: await readLinks(store),
  };
}

/** Returns the state after the last ended round. The state before any round is `state/sft.json`. */
async function lastState(store: ObjectStore) {
  let last = -1;
  for await (const { name } of store.list('state/')) {
    const match = /^state\/round-(\d+)\.json$/.exec(name);
    if (match) last = Math.max(last, Number(match[1]));
  }
  return store.stat(last < 0 ? 'state/sft.json' : `state/round-${last}.json`);
}

/** Reads a run's own record. If it does not match the schema, another version of this program probably wrote it. */
async function readOwn<T>(store: ObjectStore, ref: ArtifactRef, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(JSON.parse((await store.get(ref)).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new StpError(
    'STP1002',
    `${ref.uri} was not written by this version: ${describeIssues(parsed.error)}`,
    'Make the report with the version that made the run; any version can check its proofs.lean.',
    { facts: { uri: ref.uri }, cause: parsed.error },
  );
}
