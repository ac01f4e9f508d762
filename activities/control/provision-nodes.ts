/** Gets the machines of a run on this machine (`nodes.provider` `local`). */

import type { NodeDescription } from '../../infra/nodes/nodes.ts';
import type { NodeAccess } from '../ports.ts';

export function provisionNodesActivity(ports: NodeAccess) {
  return {
    async provisionNodes(run: string): Promise<readonly NodeDescription[]> {
      return ports.nodes.provision(run);
    },
  };
}
