/**
 * The hourly cost of machines, for plans and cost guards: Google's published prices on demand in US regions, USD,
 * rounded to cents. They change, other regions cost more, and contracts cost less; `nodes.pricePerHour` replaces them.
 */
import type { Price } from '../nodes/provider.ts';

/** When the figures below were the published ones (cloud.google.com/tpu/pricing, cloud.google.com/compute/gpus-pricing). */
const PRICES_AS_OF = '2025-06';

/** A chip. */
const TPU_CHIP: Readonly<Record<string, number>> = { v4: 3.22, v5litepod: 1.2, v5p: 4.2, v6e: 2.7 };

/** An instance with its GPUs, without disks. */
const MACHINE: Readonly<Record<string, number>> = {
  'a2-highgpu-1g': 3.67,
  'a2-highgpu-2g': 7.35,
  'a2-highgpu-4g': 14.69,
  'a2-highgpu-8g': 29.39,
  'a2-megagpu-16g': 55.74,
  'a2-ultragpu-1g': 5.07,
  'a2-ultragpu-2g': 10.14,
  'a2-ultragpu-4g': 20.28,
  'a2-ultragpu-8g': 40.55,
  'a3-highgpu-8g': 88.49,
  'g2-standard-4': 0.71,
  'g2-standard-8': 0.85,
  'g2-standard-12': 1.0,
  'g2-standard-16': 1.15,
  'g2-standard-24': 2.0,
  'g2-standard-32': 1.73,
  'g2-standard-48': 4.0,
  'g2-standard-96': 8.0,
};

/** Spot prices move every day; the discount has been 60 % at least (cloud.google.com/spot-vms/pricing), so this is an upper bound. */
const SPOT_SHARE = 0.4;

/** What is priced: so many chips of a family, or so many instances of a machine type. */
export interface Priced {
  readonly tier: 'onDemand' | 'spot' | 'reserved';
  readonly pricePerHour: number | null;
}

export const tpuPrice = (family: string, chips: number, config: Priced): Price =>
  priceOf(TPU_CHIP[family], chips, config, `${chips} chips of ${family}`);

export const machinePrice = (machineType: string, count: number, config: Priced): Price =>
  priceOf(MACHINE[machineType], count, config, `${count} × ${machineType}`);

function priceOf(each: number | undefined, count: number, { tier, pricePerHour }: Priced, what: string): Price {
  if (pricePerHour !== null) return { perHour: pricePerHour, basis: 'nodes.pricePerHour of the configuration' };
  if (each === undefined)
    return { perHour: null, basis: `no price is known for ${what}; say yours as nodes.pricePerHour` };
  const perHour = Math.round(each * count * (tier === 'spot' ? SPOT_SHARE : 1) * 100) / 100;
  const list = `published US prices of ${PRICES_AS_OF}, check yours`;
  if (tier === 'spot')
    return { perHour, basis: `${what}, spot: at most 40 % of the price on demand (${list}; spot changes daily)` };
  const reserved = tier === 'reserved' ? '; a reservation has a price of its own' : '';
  return { perHour, basis: `${what}, on demand (${list})${reserved}` };
}
