/** Gives machines of a cloud back. */

import type { Released } from '../../infra/nodes/provider.ts';
import { withHeartbeat } from '../edge.ts';
import { concludeUnreported } from '../metrics.ts';
import type { NodesInput } from '../nodes/node-sets.ts';
import { lookUntil } from '../nodes/poll-delay.ts';
import type { CloudMachines, RunMonitor, RunStore } from '../ports.ts';

export function releaseCloudNodesActivity(ports: RunStore & CloudMachines & RunMonitor) {
  return {
    /**
     * Deletes all cloud resources of the run, until nothing is left or until `untilMs`. Null: tries forever, also after
     * failures, because machines that are not deleted cost money.
     */
    async releaseCloudNodes(
      input: NodesInput & { readonly lastGeneration: number; readonly untilMs: number | null },
    ): Promise<Released> {
      const { provider, name, label } = ports.provider(input.run, input.nodes);
      const { lastGeneration: generation, untilMs } = input;
      const last = generation === 0 ? null : { run: name, generation };
      // Without a limit this is the last step of the run.
      if (untilMs === null) await concludeUnreported(ports, input.run);
      return withHeartbeat(() =>
        lookUntil(
          untilMs,
          () => provider.release(label, last).catch((error: Error) => ({ left: [error.message] })),
          ({ left }) => (left.length === 0 ? null : `${left.length} are still there, such as ${left[0]}`),
        ),
      );
    },
  };
}
