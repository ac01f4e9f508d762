/** Says what the machines of a run cost. */

import type { NodesConfig } from '@stp/config';
import { priceOfNodes } from '../../infra/cloud/pricing.ts';
import type { Price } from '../../infra/nodes/provider.ts';

export function priceMachinesActivity() {
  return {
    /** Returns the hourly price of the machines today. */
    async priceMachines(_run: string, nodes: NodesConfig): Promise<Price> {
      return priceOfNodes(nodes, new Date());
    },
  };
}
