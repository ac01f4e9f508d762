/** Asks the Temporal server about the fleet: who polls, which nodes runs have worked on, which runs are open. */
import { getClient } from '@temporalio/activity';
import type { Client } from '@temporalio/client';

/** `TaskQueueType` of Temporal's API: of activities. */
const ACTIVITIES = 2;
/** `DescribeTaskQueueMode`: with all partitions of the queue. */
const ENHANCED = 1;
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

export function fleetActivities() {
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

    /** Workers that poll the queue for activities, as far as the server has heard of them in the last minutes. */
    async countWorkers(queue: string): Promise<number> {
      return countWorkers(getClient(), queue);
    },
  };
}

/**
 * As the activity. A queue lies in partitions, and a poller asks one of them; the plain answer knows those of the first (190
 * of 200 in a trial), the enhanced one all. It is asked for plainly where a server no longer has the other.
 */
export async function countWorkers({ workflowService, options }: Client, queue: string): Promise<number> {
  const { namespace } = options;
  const whole = await workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueTypes: [ACTIVITIES], apiMode: ENHANCED, reportPollers: true },
  });
  const workers = new Set<string>();
  for (const { typesInfo } of Object.values(whole.versionsInfo ?? {}))
    for (const { pollers } of Object.values(typesInfo ?? {}))
      for (const { identity } of pollers ?? []) workers.add(identity ?? '');
  if (workers.size > 0) return workers.size;
  const { pollers } = await workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name: queue }, taskQueueType: ACTIVITIES },
  });
  return (pollers ?? []).length;
}
