/**
 * The janitor (`stp-janitor`, started by a schedule of the same name) asks every node that runs have worked on to end
 * unneeded processes. Runs clean up after themselves; the janitor removes what lost workers and terminated runs left,
 * and cleans nodes that were away when their run ended.
 */
import { ActivityFailure, setCurrentDetails, TimeoutFailure } from '@temporalio/workflow';
import type { CleanUpReport } from '../infra/nodes/nodes.ts';
import { control, nodeIfThere, streaming } from './control/activity-proxies.ts';
import {
  EVALUATE_TYPE,
  evaluateWorkflowId,
  HOST_QUEUES_MEMO,
  NODES_MEMO,
  SELFPLAY_TYPE,
  selfplayWorkflowId,
} from './control/contracts.ts';
import { ConcurrencyLimit } from './nodes/concurrency-limit.ts';

/** Number of nodes asked at once. A lost node occupies its slot for the ten seconds in which no worker answers. */
const SWEEPS_AT_ONCE = 50;

export interface JanitorReport {
  /** Number of nodes that were swept. */
  readonly nodes: number;
  /** Host queues without a worker. */
  readonly gone: readonly string[];
  /** Nodes that could not be swept, with the reason. */
  readonly failed: readonly { readonly queue: string; readonly why: string }[];
  /** Cloud machines of ended runs that are still being deleted, or could not be. */
  readonly leftInClouds: readonly string[];
  readonly processesEnded: number;
  readonly memoryBytesFreed: number;
  readonly cpuSecondsUsed: number;
  readonly scratchBytesFreed: number;
}

export async function stpJanitor(): Promise<JanitorReport> {
  const { hostQueues, openRuns } = await control('which nodes and runs there are').findHosts({
    workflowTypes: [SELFPLAY_TYPE, EVALUATE_TYPE],
    memo: HOST_QUEUES_MEMO,
  });
  const reports: CleanUpReport[] = [];
  const gone: string[] = [];
  const failed: { queue: string; why: string }[] = [];
  const limit = new ConcurrencyLimit(SWEEPS_AT_ONCE);
  const sweep = async (queue: string): Promise<void> => {
    try {
      reports.push(
        await nodeIfThere(queue, 'end what nobody will ask for').sweepNode(openRuns, [
          selfplayWorkflowId(''),
          evaluateWorkflowId(''),
        ]),
      );
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const { cause } = error;
      if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') gone.push(queue);
      else failed.push({ queue, why: cause?.message ?? error.message });
    }
  };
  await Promise.all(hostQueues.map((queue) => limit.run(() => sweep(queue))));
  const leftInClouds = await releaseInClouds();
  const sum = (pick: (report: CleanUpReport) => number): number => reports.reduce((all, one) => all + pick(one), 0);
  const processesEnded = sum((report) => report.processesEnded);
  setCurrentDetails(
    `${reports.length} nodes swept, ${gone.length} gone, ${failed.length} failed; ${processesEnded} processes ended`,
  );
  return {
    nodes: reports.length,
    gone: gone.sort(),
    failed,
    leftInClouds,
    processesEnded,
    memoryBytesFreed: sum((report) => report.memoryBytesFreed),
    cpuSecondsUsed: sum((report) => report.cpuSecondsUsed),
    scratchBytesFreed: sum((report) => report.scratchBytesFreed),
  };
}

/** Tries the release again. Returns the machines that remain, or why the release failed. */
async function releaseInClouds(): Promise<readonly string[]> {
  try {
    const given = streaming('give back what ended runs have left in clouds');
    return await given.releaseClosedRuns({ workflowType: SELFPLAY_TYPE, memo: NODES_MEMO });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return [`clouds did not answer: ${error.cause?.message ?? error.message}`];
  }
}
