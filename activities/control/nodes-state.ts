/** Checks whether the requested cloud machines are up. */

import { isStillComing } from '../../infra/nodes/looking.ts';
import type { NodesState } from '../../infra/nodes/provider.ts';
import { withHeartbeat } from '../edge.ts';
import type { NodeSetInput, Until } from '../nodes/node-sets.ts';
import { finalAfter, lookUntil } from '../nodes/poll-delay.ts';
import type { CloudMachines } from '../ports.ts';

export function nodesStateActivity(ports: CloudMachines) {
  return {
    /**
     * Polls until the machines are up, or will not come up by themselves, or until `untilMs`. Returns the last state.
     */
    async nodesState(input: NodeSetInput & Until): Promise<NodesState> {
      const { provider, name } = ports.provider(input.run, input.nodes);
      return withHeartbeat(() =>
        finalAfter(input.untilMs, () =>
          lookUntil(
            input.untilMs,
            () => provider.state({ run: name, generation: input.generation }),
            (state, look) =>
              !isStillComing(state, look) ? null : state.kind === 'waiting' ? state.reason : 'nothing of that name yet',
          ),
        ),
      );
    },
  };
}
