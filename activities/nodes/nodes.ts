/**
 * The machines of a run: gets them before the work, cleans them at its start, at its end and on demand, and gives them
 * back.
 */
import { getClient } from '@temporalio/activity';
import { type CleanUpReport, type CleanUpScope, type NodeDescription, sumReports } from '../../infra/nodes/nodes.ts';
import { withHeartbeat } from '../edge.ts';
import { concludeUnreported, logMetrics, metricsAt } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { isOver } from './closed-runs.ts';

export function nodeActivities(ports: Ports) {
  return {
    async provisionNodes(run: string): Promise<readonly NodeDescription[]> {
      return ports.nodes.provision(run);
    },
    /**
     * Ends the run's processes on this node, and reports what that gave back: `all` before and after the run, `lean` where
     * a stage ends and the run continues. Cheap if there is nothing to clean.
     * @param why names the moment in the metrics, `after_certify`
     */
    async cleanUpNode(run: string, why: string, what: CleanUpScope = 'all'): Promise<CleanUpReport> {
      // A node that goes while it is cleaned is noticed, like one that goes while it works.
      const report = await withHeartbeat(() => ports.nodes.cleanUp(run, what));
      await logMetrics(
        ports,
        run,
        metricsAt(`nodes/${why}`, 0, {
          processes_ended: report.processesEnded,
          memory_bytes_freed: report.memoryBytesFreed,
          cpu_seconds_used: report.cpuSecondsUsed,
          scratch_bytes_freed: report.scratchBytesFreed,
        }),
      );
      return report;
    },
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
    /** The last step of a run on this machine. */
    async releaseNodes(run: string): Promise<void> {
      await concludeUnreported(ports, run);
      await ports.nodes.release(run);
    },
  };
}
