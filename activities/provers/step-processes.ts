/** Works on a shard's items through the step API: several Lean processes, each shared by several items. */

import { Semaphore } from '@stp/base';
import type { RunConfig } from '@stp/config';
import type { Steps } from '@stp/lean-explore';
import type { WorkItem } from '@stp/selfplay';
import type { RunSteps } from '../ports.ts';
import type { GrownRecord } from '../round/library.ts';

/** A Lean process, and the semaphore that guards it: the process holds one text at a time. */
export interface StepProcess {
  readonly steps: Steps;
  readonly turns: Semaphore;
}

export interface StepProcessesInput {
  readonly run: string;
  readonly verification: RunConfig['verification'];
  readonly grown: readonly GrownRecord[];
  /** Number of items that share a process: while one waits for the model, the others use it. */
  readonly itemsPerProcess: number;
}

/**
 * Returns results in the order of the items. An error in one item cancels the others through `failed`; the next attempt
 * starts them again.
 *
 * @param ends the activity's signal and that of `failed`
 */
export async function withStepProcesses<T>(
  ports: RunSteps,
  { run, verification, grown, itemsPerProcess }: StepProcessesInput,
  items: readonly WorkItem[],
  { failed, ends }: { readonly failed: AbortController; readonly ends: AbortSignal },
  work: (item: WorkItem, process: StepProcess) => Promise<T>,
): Promise<T[]> {
  const processes = await Promise.all(
    Array.from({ length: Math.min(verification.processes, items.length) }, async () => ({
      steps: await ports.steps(run, verification, grown),
      turns: new Semaphore(),
    })),
  );
  const width = new Semaphore();
  try {
    return await Promise.all(
      items.map((item, index) =>
        width
          .run(itemsPerProcess * processes.length, () => work(item, processes[index % processes.length]!), ends)
          .catch((error: unknown) => {
            failed.abort(error);
            throw error;
          }),
      ),
    );
  } finally {
    await Promise.all(processes.map(({ steps }) => steps.close()));
  }
}
