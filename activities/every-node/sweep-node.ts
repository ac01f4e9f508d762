/** Cleans a node of what runs have left that are over. */

import { getClient } from '@temporalio/activity';
import { type CleanUpReport, sumReports } from '../../infra/nodes/nodes.ts';
import { withHeartbeat } from '../edge.ts';
import { isOver } from '../nodes/closed-runs.ts';
import type { NodeAccess } from '../ports.ts';

export function sweepNodeActivity(ports: NodeAccess) {
  return {
    /**
     * Ends unneeded processes on this node: those of dead workers, and those of runs that are not open. Removes the files of
     * runs that ended while the node was away.
     * @param prefixes what stands before a run's name in ids of workflows
     */
    async sweepNode(openRuns: readonly string[], prefixes: readonly string[] = []): Promise<CleanUpReport> {
      return withHeartbeat(async () => {
        let report = await ports.nodes.sweep(openRuns);
        for (const run of await ports.nodes.runsWithFiles())
          if (!openRuns.includes(run) && (await isOver(getClient(), run, prefixes)))
            report = sumReports(report, await ports.nodes.cleanUp(run));
        return report;
      });
    },
  };
}
