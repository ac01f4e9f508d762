/**
 * Reads the state of a run from its store, for a finished, running or failed run: its last state, and its summary if it
 * has one.
 */

import { describeIssues, StpError } from '@stp/base';
import { type ArtifactRef, type ObjectStore, summarySchema } from '@stp/config/records';
import type { z } from 'zod';
import { readLinks } from '../../infra/monitor/trackers/tracker.ts';
import { type Move, withMoved } from '../../infra/stores/moved.ts';
import { withNeighbours } from '../../infra/stores/neighbours.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { costOfRun } from '../run/cost.ts';
import { type RunState, runStateSchema } from '../run/run-state.ts';
import type { RunSource } from './gather.ts';

/**
 * @param uri of the run's folder, no slash at its end
 * @throws STP1403 where no run is, or one that has not trained its first model yet
 */
export async function openRun(uri: string): Promise<Omit<RunSource, 'losses'>> {
  const place = parentOf(uri);
  const store = withNeighbours(await openStore(uri), place);
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
  const moves = await movesOf(store, state, uri);
  return {
    run: uri.slice(place.length + 1),
    store: withMoved(store, moves),
    state: summary === null ? state : { ...state, secondsPerStage: summary.secondsPerStage },
    evaluation: summary?.heldOut ?? null,
    finished: summary !== null,
    leanVersion: summary?.leanVersion ?? null,
    ineligibleBecause: summary?.ineligibleBecause ?? [],
    cost: summary?.cost ?? costOfRun(state),
    tracking: await readLinks(store),
  };
}

const parentOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'));

/**
 * Where a run's objects, and those of the runs beside it, were written and lie now. A run that was moved or renamed refers to
 * itself by its former name, which is known by an object of that name here: statements may be those of a run that it started from.
 */
async function movesOf(store: ObjectStore, { data, outcomes }: RunState, to: string): Promise<Move[]> {
  const written = [data.train, ...outcomes.map(({ manifest }) => manifest).reverse()].flatMap(({ uri }) => {
    const [, run, name] = /^(.*)\/((?:data|rounds)\/.*)$/.exec(uri) ?? [];
    return run === undefined || name === undefined ? [] : [{ run, name }];
  });
  const neighbours = { from: parentOf(written[0]?.run ?? to), to: parentOf(to) };
  for (const { run, name } of written) if ((await store.stat(name)) !== null) return [{ from: run, to }, neighbours];
  return [neighbours];
}

/** The state after the last round that ended; the one before any round is `state/sft.json`. */
async function lastState(store: ObjectStore) {
  let last = -1;
  for await (const { name } of store.list('state/')) {
    const match = /^state\/round-(\d+)\.json$/.exec(name);
    if (match) last = Math.max(last, Number(match[1]));
  }
  return store.stat(last < 0 ? 'state/sft.json' : `state/round-${last}.json`);
}

/** A run's own record of itself. One that does not fit is of another version of this program rather than damaged. */
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
