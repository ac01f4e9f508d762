/**
 * Gives back cloud machines whose run ended without doing so: the run was terminated or failed unexpectedly, or a
 * request took effect after its end. The memo of a closed run contains the configuration of its machines.
 */

import { nodesConfigSchema } from '@stp/config';
import { getClient } from '@temporalio/activity';
import { withHeartbeat } from '../edge.ts';
import type { CloudMachines } from '../ports.ts';

/** Runs that ended longer ago were checked many times; older leftovers are left to `bin/stp nodes sweep`. */
const CLOSED_RUNS_DAYS = 3;
const DAY_MS = 86_400_000;
/** Most lines about remaining machines in one report. */
const LINES_MAX = 100;

export interface ReleaseClosedInput {
  /** Type of the workflows that get machines. Their ids are the run's name behind a prefix that ends in `/`. */
  readonly workflowType: string;
  /** Entry of their memo with their `nodes` configuration. */
  readonly memo: string;
}

/** Is a run open under this name? */
async function isOpen(workflowId: string): Promise<boolean> {
  try {
    return (await getClient().workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}

export function releaseClosedRunsActivity(ports: CloudMachines) {
  return {
    /** Requests deletion of the machines of closed runs; returns those that still exist, for the next check. */
    async releaseClosedRuns({ workflowType, memo }: ReleaseClosedInput): Promise<readonly string[]> {
      return withHeartbeat(async (signal) => {
        const since = new Date(Date.now() - CLOSED_RUNS_DAYS * DAY_MS).toISOString();
        const query = `WorkflowType = '${workflowType}' AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
        const open = new Set<string>();
        const closed = new Map<string, unknown>();
        for await (const { workflowId, status, memo: known } of getClient().workflow.list({ query })) {
          if (status.name === 'RUNNING') open.add(workflowId);
          else if (known?.[memo] !== undefined) closed.set(workflowId, known[memo]);
        }
        const left: string[] = [];
        for (const [workflowId, kept] of closed) {
          signal.throwIfAborted();
          const nodes = nodesConfigSchema.safeParse(kept);
          // An open run under the same name uses the machines now.
          if (open.has(workflowId) || !nodes.success || nodes.data.provider === 'local') continue;
          const run = workflowId.slice(workflowId.indexOf('/') + 1);
          try {
            // The list of runs is slightly out of date, and this pass may take long.
            if (await isOpen(workflowId)) continue;
            const { provider, label } = ports.provider(run, nodes.data);
            left.push(...(await provider.release(label, null)).left);
          } catch (error) {
            left.push(`${run}: ${(error as Error).message}`);
          }
        }
        return left.slice(0, LINES_MAX);
      });
    },
  };
}
