/** Asks the Temporal server which nodes runs have worked on, and which runs are open. */

import { getClient } from '@temporalio/activity';

/** Machines of runs that ended longer ago have been given back or belong to another run. */
const CLOSED_RUNS_DAYS = 3;
const DAY_MS = 86_400_000;
/** Most host queues in one answer, about 50 bytes each. A fleet of the paper's size has 300 hosts. */
const HOSTS_MAX = 2_000;

export interface FindHostsInput {
  /**
   * Types of the workflows that get machines. A workflow's id is the run's name, or a prefix ending in `/` and the
   * name.
   */
  readonly workflowTypes: readonly string[];
  /** Key of the memo entry that lists the host queues of their machines. */
  readonly memo: string;
}

export interface KnownHosts {
  /** Host queues of the machines that open and recently closed runs have worked on. */
  readonly hostQueues: readonly string[];
  /** Names of the runs and evaluations that are open. */
  readonly openRuns: readonly string[];
}

export function findHostsActivity() {
  return {
    async findHosts({ workflowTypes, memo }: FindHostsInput): Promise<KnownHosts> {
      const types = workflowTypes.map((type) => `'${type}'`).join(', ');
      const since = new Date(Date.now() - CLOSED_RUNS_DAYS * DAY_MS).toISOString();
      const query = `WorkflowType IN (${types}) AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
      const hostQueues = new Set<string>();
      const openRuns: string[] = [];
      for await (const run of getClient().workflow.list({ query })) {
        const known = run.memo?.[memo];
        for (const queue of Array.isArray(known) ? known : [])
          if (typeof queue === 'string' && hostQueues.size < HOSTS_MAX) hostQueues.add(queue);
        // An id without a prefix is the name itself.
        if (run.status.name === 'RUNNING')
          openRuns.push(run.workflowId, run.workflowId.slice(run.workflowId.indexOf('/') + 1));
      }
      return { hostQueues: [...hostQueues].sort(), openRuns: [...new Set(openRuns)].sort() };
    },
  };
}
