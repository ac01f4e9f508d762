/** Asks the Temporal server whether a run is over. A run that it does not know may belong to another server. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

const OVER: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/** @param prefixes prefixes of the run's name in workflow ids */
export async function isOver(client: Client, run: string, prefixes: readonly string[]): Promise<boolean> {
  const statuses: string[] = [];
  for (const prefix of prefixes)
    try {
      statuses.push((await client.workflow.getHandle(`${prefix}${run}`).describe()).status.name);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  return statuses.length > 0 && statuses.every((status) => OVER.has(status));
}
