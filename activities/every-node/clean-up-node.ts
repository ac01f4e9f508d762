/** Cleans a node: before a run, between its stages, after it, and on demand. */

import type { CleanUpReport, CleanUpScope } from '../../infra/nodes/nodes.ts';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { NodeAccess, RunMonitor } from '../ports.ts';

export function cleanUpNodeActivity(ports: NodeAccess & RunMonitor) {
  return {
    /**
     * Ends the run's processes on this node and reports what was freed. Scope `all` is for before and after the run,
     * `lean` for the end of a stage while the run continues. Cheap if there is nothing to clean.
     *
     * @param why names the occasion in the metrics, such as `after_prove`
     */
    async cleanUpNode(run: string, why: string, what: CleanUpScope = 'all'): Promise<CleanUpReport> {
      // The heartbeat reveals a node that is lost during its clean-up, as during other work.
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
