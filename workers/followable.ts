/**
 * Checks by replaying histories, before a worker starts, whether this version's workflows can continue runs that
 * another version began. If they cannot, Temporal would retry the run's next step endlessly without showing the reason.
 */

import { StpError } from '@stp/base';
import type { Client } from '@temporalio/client';
import { DeterminismViolationError } from '@temporalio/workflow';
import { SELFPLAY_TYPE } from '../workflows/control/contracts.ts';

/** Most open runs that a starting worker checks; more would delay its work. */
const RUNS_MAX = 20;

/** Throws STP1103 if these workflows cannot replay the history of an open run or of its open round. */
export async function requireFollowable(client: Client, workflowId: string, codePath: string): Promise<void> {
  const { Worker } = await import('@temporalio/worker');
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const children = (raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []);
  const histories = [workflowId, ...children].map(async (id) => ({
    workflowId: id,
    history: await client.workflow.getHandle(id).fetchHistory(),
  }));
  for await (const { error, workflowId: id } of Worker.runReplayHistories(
    { workflowBundle: { codePath } },
    await Promise.all(histories),
  )) {
    if (error === undefined) continue;
    if (!(error instanceof DeterminismViolationError)) throw error;
    throw new StpError(
      'STP1103',
      `${id} was begun by another version, whose steps this one cannot follow`,
      'Continue it with the version that began it, or end it there with the update stopAfterRound and start a new run from its last round: --init-from RUN.',
      { facts: { workflowId: id }, cause: error },
    );
  }
}

/** Reports the open runs that a control worker of this version cannot continue. */
export async function reportUnfollowable(client: Client, codePath: string, say: (line: string) => void): Promise<void> {
  const open: string[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: `WorkflowType = '${SELFPLAY_TYPE}' AND ExecutionStatus = 'Running'`,
  }))
    if (open.push(workflowId) === RUNS_MAX) break;
  for (const workflowId of open)
    await requireFollowable(client, workflowId, codePath).catch((error: unknown) => {
      say(error instanceof StpError ? error.toText() : String(error));
    });
}
