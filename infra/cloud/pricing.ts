/** Hourly prices of configured machines, for plans, cost guards and the costs of runs. */
import type { NodesConfig } from '@stp/config';
import type { Price } from '../nodes/provider.ts';
import { listPrice } from './price-table.ts';
import { sliceOf } from './tpu/requests.ts';

/** Describes the machines in words, such as `4 chips of v4, spot`. */
export function machinesText(nodes: NodesConfig): string {
  switch (nodes.provider) {
    case 'local':
      return 'this machine';
    case 'inventory':
      return 'machines of the inventory';
    case 'tpu':
      return `${sliceOf(nodes).chips * nodes.slices} chips of ${sliceOf(nodes).family}${tierText(nodes.tier)}`;
    case 'gpu':
      return `${nodes.count} × ${nodes.machineType}${tierText(nodes.tier)}`;
  }
}

const tierText = (tier: string): string => (tier === 'onDemand' ? '' : `, ${tier}`);

/** @param day day of use */
export function priceOfNodes(nodes: NodesConfig, day: Date): Price {
  const own = nodes.pricePerHour;
  if (own !== null) return { perHour: own, basis: 'nodes.pricePerHour of the configuration' };
  const unknown = {
    perHour: null,
    basis: `no price is known for ${machinesText(nodes)}; nodes.pricePerHour sets one`,
  };
  if (nodes.provider === 'local' || nodes.provider === 'inventory') return unknown;
  const { tier } = nodes;
  const slice = nodes.provider === 'tpu' ? sliceOf(nodes) : null;
  const [kind, count] =
    nodes.provider === 'tpu' ? [slice!.family, slice!.chips * nodes.slices] : [nodes.machineType, nodes.count];
  const price = listPrice(kind, tier === 'spot' ? 'spot' : 'onDemand', day);
  if (price === null) return unknown;
  const what = slice === null ? `${count} × ${kind}` : `${count} chips of ${kind}`;
  const perHour = Math.round(price.usdPerHour * count * 100) / 100;
  const month = price.from.slice(0, 7);
  const list = price.isOwn ? `STP_PRICES, from ${month}` : `published US prices of ${month}, check yours`;
  if (tier === 'spot' && price.share < 1)
    return {
      perHour,
      basis: `${what}, spot: at most ${Math.round(price.share * 100)} % of the price on demand (${list}; spot changes daily)`,
    };
  if (tier === 'spot') return { perHour, basis: `${what}, spot (${list})` };
  const reserved = tier === 'reserved' ? '; a reservation has a price of its own' : '';
  return { perHour, basis: `${what}, on demand (${list})${reserved}` };
}
