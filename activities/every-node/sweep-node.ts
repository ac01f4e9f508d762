/** Removes from a node what ended runs have left. */

import { getClient } from '@temporalio/activity';
import { type CleanUpReport, sumReports } from '../../infra/nodes/nodes.ts';
import { withHeartbeat } from '../edge.ts';
import { isOver } from '../nodes/closed-runs.ts';
import type { NodeAccess } from '../ports.ts';

export function sweepNodeActivity(ports: NodeAccess) {
  return {
    /**
     * Ends unneeded processes on this node: those of dead workers and of runs that are not open. Removes the files of
     * runs that ended while the node was away.
     *
     * @param prefixes prefixes of a run's name in workflow ids
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
