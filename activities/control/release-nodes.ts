/** Gives back the machines of a run on this machine (`nodes.provider` `local`). */

import { concludeUnreported } from '../metrics.ts';
import type { NodeAccess, RunMonitor, RunStore } from '../ports.ts';

export function releaseNodesActivity(ports: RunStore & NodeAccess & RunMonitor) {
  return {
    /** Reports the end of the run to trackers, then gives back the local machine. It is the run's last step. */
    async releaseNodes(run: string): Promise<void> {
      await concludeUnreported(ports, run);
      await ports.nodes.release(run);
    },
  };
}
