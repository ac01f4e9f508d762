/** Requests machines of a cloud. */

import type { RequestResult } from '../../infra/nodes/provider.ts';
import { withHeartbeat } from '../edge.ts';
import type { NodeSetInput, Until } from '../nodes/node-sets.ts';
import { finalAfter, lookUntil } from '../nodes/poll-delay.ts';
import type { CloudMachines } from '../ports.ts';

/** Exceeds the number of requests in the longest wait. */
const ASKINGS_MAX = 1_000_000;

export function requestNodesActivity(ports: CloudMachines) {
  return {
    /**
     * Requests machines until the cloud accepts, or until no time is left before `untilMs` to ask again. Returns the
     * last answer.
     */
    async requestNodes(input: NodeSetInput & Until & { readonly attempt: number }): Promise<RequestResult> {
      const { provider, name } = ports.provider(input.run, input.nodes);
      const set = { run: name, generation: input.generation };
      return withHeartbeat(() =>
        finalAfter(input.untilMs, () =>
          lookUntil(
            input.untilMs,
            // Each request has a number of its own, because the cloud repeats its answer to a number it has seen.
            (look) => provider.request(set, input.attempt * ASKINGS_MAX + look),
            (asked) => (asked.kind === 'no-capacity' ? asked.reason : null),
          ),
        ),
      );
    },
  };
}
