/** Optional work beside a run's stages; its failure does not affect the run. */

import { isInWords } from '@stp/config/workflow';
import { log } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { lean } from '../control/activity-proxies.ts';

/** Waits for the work and logs its failure, or its cancellation, which the run's own work gets too. */
export const besideTheRun = (work: Promise<void>, otherwise: string): Promise<void> =>
  work.catch((error: unknown) => log.warn(otherwise, { error }));

/**
 * Writes the proofs beside the last retraining, which leaves some cores idle. If this fails, the report has Lean read
 * the proofs.
 */
export async function writeProofs(run: string, state: RunState): Promise<void> {
  if (isInWords(state.config)) return;
  const writing = lean('proofs.lean').writeProofs({ run, state });
  await besideTheRun(writing, 'proofs.lean could not be written ahead of the report');
}
