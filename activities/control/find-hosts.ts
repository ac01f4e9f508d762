/** Asks the Temporal server which nodes runs have worked on, and which runs are open. */

import { getClient } from '@temporalio/activity';

/** Nodes of runs that ended longer ago are given back, or have another run by now. */
const CLOSED_RUNS_DAYS = 3;
const DAY_MS = 86_400_000;
/** Own queues in one answer: some fleets of the paper's size (300 hosts), 50 bytes each. */
const HOSTS_MAX = 2_000;

export interface FindHostsInput {
  /** Types of the workflows that get nodes. Their ids are the run's name behind a prefix that ends in `/`. */
  readonly workflowTypes: readonly string[];
  /** Entry of their memo that lists the own queues of their nodes. */
  readonly memo: string;
}

export interface KnownHosts {
  /** Own queues of the nodes that open and lately closed runs have worked on. */
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
