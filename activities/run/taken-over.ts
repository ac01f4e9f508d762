/** The state that a run takes over from another one. */

import { StpError } from '@stp/base';
import { isRunName } from '@stp/config';
import type { ObjectStore } from '@stp/config/records';
import { z } from 'zod';
import { readJson } from '../records/record-files.ts';
import { type Trained, trainedSchema } from '../training/training.ts';
import { type PreparedData, preparedDataSchema } from './prepared-data.ts';
import { type RunState, runStateSchema } from './run-state.ts';

/** The state that a run takes over: only the SFT model, or everything up to a round. */
export const takenOverSchema = z.strictObject({ sft: trainedSchema, state: runStateSchema.nullable() });
export interface TakenOver {
  readonly sft: Trained;
  readonly state: RunState | null;
}

/** Returns the run's statements and sets, its own or those it took over; null before there are any. */
export async function preparedDataOf(store: ObjectStore): Promise<PreparedData | null> {
  const own = await store.stat('data/prepared.json');
  if (own !== null) return readJson(store, own, preparedDataSchema);
  const taken = await store.stat('taken-over.json');
  return taken === null ? null : ((await readJson(store, taken, takenOverSchema)).state?.data ?? null);
}

/**
 * Returns a run's name from a name, a path or a URI. A run in another folder or bucket cannot be read (see
 * `infra/stores/neighbours.ts`).
 */
export function nameOfRun(initFrom: string, ownRoot: string): string {
  const folder = ownRoot.slice(0, ownRoot.lastIndexOf('/'));
  const name = initFrom.startsWith(`${folder}/`) ? initFrom.slice(folder.length + 1).replace(/\/+$/, '') : initFrom;
  if (isRunName(name)) return name;
  throw new StpError(
    'STP1002',
    `${JSON.stringify(initFrom.slice(0, 200))} names no run in ${folder}`,
    'Give the name of a run that lies beside this one.',
  );
}
