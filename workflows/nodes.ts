/** Nodes of a run or an evaluation: got at its start, cleaned and given back at its end, whatever it came to. */
import { ApplicationFailure, log, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { control, host } from './activity-proxies.ts';
import { HOST_QUEUES_MEMO } from './contracts.ts';

/** Task queue of the node that is to do the work. */
export async function getNode(run: string): Promise<string> {
  const [node] = await control('get nodes').provisionNodes(run);
  if (!node) throw ApplicationFailure.nonRetryable('no node was provisioned', 'STP1601');
  // The janitor looks there for the nodes that it is to sweep.
  upsertMemo({ [HOST_QUEUES_MEMO]: [node.taskQueue] });
  return node.taskQueue;
}

/** Ends what an earlier run of this name left behind. */
export async function cleanBefore(run: string, hostQueue: string): Promise<void> {
  await host(hostQueue, 'end what an earlier run of this name left behind').cleanUpNode(run, 'before');
}

/** To be called where nothing can cancel it. `hostQueue` null: none was got. */
export async function giveNodesBack(run: string, hostQueue: string | null): Promise<void> {
  if (hostQueue !== null)
    await host(hostQueue, 'end every Lean process of the run')
      .cleanUpNode(run, 'after')
      // What the run found, or why it failed, matters more than what it left behind.
      .catch((error: unknown) => log.warn('the node could not be cleaned', { error }));
  await control('give the nodes back').releaseNodes(run);
}

/** What follows `prefix` in the workflow id. It names a folder, so it must be fit for one; `none` says what it names none of. */
export function folderName(prefix: string, none: string, advice: string): string {
  const { workflowId } = workflowInfo();
  const name = workflowId.startsWith(prefix) ? workflowId.slice(prefix.length) : workflowId;
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw ApplicationFailure.nonRetryable(
    `the workflow id "${workflowId.slice(0, 100)}" names no ${none}. ${advice}`,
    'STP1002',
  );
}
