/**
 * Replays the histories of all workflows that a server has. A worker that takes up a run after a restart does the same, so the
 * code must make the same decisions from a history as it made when it was written.
 */
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';

export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

export interface Replayed {
  readonly workflowId: string;
  /** Null where the history replays. */
  readonly error: string | null;
}

/** Every execution of every workflow, finished or not, with its history. */
export async function historiesOf(
  client: Client,
): Promise<readonly { readonly workflowId: string; readonly history: History }[]> {
  const executions = await Array.fromAsync(client.workflow.list());
  return Promise.all(
    executions.map(async ({ workflowId, runId }) => ({
      workflowId,
      history: await client.workflow.getHandle(workflowId, runId).fetchHistory(),
    })),
  );
}

export async function replay(
  histories: readonly { readonly workflowId: string; readonly history: unknown }[],
): Promise<readonly Replayed[]> {
  const codePath = await workflowBundle(workerSettings().cacheDirectory);
  const results = await Array.fromAsync(Worker.runReplayHistories({ workflowBundle: { codePath } }, histories));
  return results.map(({ workflowId, error }) => ({ workflowId, error: error?.stack ?? null }));
}
