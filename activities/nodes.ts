/** Nodes: got before the work, cleaned at its start, its end and on demand, given back. */
import type { CleanUpReport, NodeDescription } from '../infra/nodes/nodes.ts';
import { metricsAt } from './metrics.ts';
import type { Ports } from './ports.ts';

export function nodeActivities(ports: Ports) {
  return {
    async provisionNodes(run: string): Promise<readonly NodeDescription[]> {
      return ports.nodes.provision(run);
    },
    /** Ends the run's Lean processes on this node, and reports what that gave back. */
    async cleanUpNode(run: string, why: string): Promise<CleanUpReport> {
      const report = await ports.nodes.cleanUp(run);
      const monitor = await ports.monitor(run);
      await monitor.log(
        metricsAt(`nodes/${why}`, 0, {
          processes_ended: report.processesEnded,
          memory_bytes_freed: report.memoryBytesFreed,
          cpu_seconds_used: report.cpuSecondsUsed,
        }),
      );
      return report;
    },
    async releaseNodes(run: string): Promise<void> {
      await ports.nodes.release(run);
    },
  };
}
