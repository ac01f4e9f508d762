/**
 * `stp-stand-down`: it does nothing, and its end says that the work beside which it runs is to end. Activities of that
 * work wait for it by a long poll (`activities/nodes/stand-down.ts`), so hundreds of them hear of it at once, for one write.
 */
import { CancellationScope, isCancellation, log, startChild, workflowInfo } from '@temporalio/workflow';
import { standDownWorkflowId } from '../data/schemas/heartbeats.ts';
import { STAND_DOWN_TYPE } from './control/contracts.ts';

export async function stpStandDown(): Promise<void> {
  await CancellationScope.current().cancelRequested;
}

/**
 * Has one beside this workflow. It is cancelled with the current scope, by the same answer to the server as the
 * activities of that scope: who hears of it is to end by the server's word too. Without it their heartbeats say so.
 * @returns resolves when it is gone, so that there can be the next
 */
export async function beginStandDown(): Promise<{ readonly gone: Promise<void> }> {
  try {
    const standDown = await startChild<typeof stpStandDown>(STAND_DOWN_TYPE, {
      workflowId: standDownWorkflowId(workflowInfo().workflowId),
      staticSummary: 'ends when the pieces in flight are to end',
    });
    return { gone: standDown.result().catch(() => undefined) };
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('a cancellation will be heard of by heartbeats alone', { error });
    return { gone: Promise.resolve() };
  }
}
