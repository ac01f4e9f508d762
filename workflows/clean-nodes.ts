/** `stp-clean-nodes`: does on demand, on every machine, the clean-up that every run does by itself. */
import type { CleanUpReport } from '../infra/nodes/nodes.ts';
import { nodeIfThere } from './control/activity-proxies.ts';
import { type HostOutcome, onEveryNode } from './nodes/every-node.ts';

export interface CleanNodesInput {
  readonly run: string;
  /** Host queues of the machines. */
  readonly queues: readonly string[];
}

export async function stpCleanNodes({ run, queues }: CleanNodesInput): Promise<readonly HostOutcome<CleanUpReport>[]> {
  return onEveryNode(
    queues,
    (queue) => nodeIfThere(queue, 'end every process of the run').cleanUpNode(run, 'on_demand'),
    { together: false },
  );
}
