/** Cleans a node: before a run, between its stages, after it, and on demand. */

import type { CleanUpReport, CleanUpScope } from '../../infra/nodes/nodes.ts';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { NodeAccess, RunMonitor } from '../ports.ts';

export function cleanUpNodeActivity(ports: NodeAccess & RunMonitor) {
  return {
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
  };
}
