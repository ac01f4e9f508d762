/** Requests machines of a cloud. */

import type { Asked } from '../../infra/nodes/provider.ts';
import { withHeartbeat } from '../edge.ts';
import type { NodeSetInput, Until } from '../nodes/node-sets.ts';
import { finalAfter, lookUntil } from '../nodes/poll-delay.ts';
import type { CloudMachines } from '../ports.ts';

/** More than a wait of the longest kind has. */
const ASKINGS_MAX = 1_000_000;

export function requestNodesActivity(ports: CloudMachines) {
  return {
    /** Asks until the cloud accepts, or there is no time before `untilMs` to ask again: the last answer. */
    async requestNodes(input: NodeSetInput & Until & { readonly attempt: number }): Promise<Asked> {
      const { provider, name } = ports.provider(input.run, input.nodes);
      const set = { run: name, generation: input.generation };
      return withHeartbeat(() =>
        finalAfter(input.untilMs, () =>
          lookUntil(
            input.untilMs,
            // Every asking has a number of its own: the cloud gives the same answer to the same one.
            (look) => provider.request(set, input.attempt * ASKINGS_MAX + look),
            (asked) => (asked.kind === 'no-capacity' ? asked.reason : null),
          ),
        ),
      );
    },
  };
}
