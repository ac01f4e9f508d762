/** Says what the machines of a run cost. */

import type { NodesConfig } from '@stp/config';
import { priceOfNodes } from '../../infra/cloud/pricing.ts';
import type { Price } from '../../infra/nodes/provider.ts';

export function priceMachinesActivity() {
  return {
    /** What the machines cost by the hour today. */
    async priceMachines(_run: string, nodes: NodesConfig): Promise<Price> {
      return priceOfNodes(nodes, new Date());
    },
  };
}
