/**
 * TPU slices by accelerator type: chips, hosts and base image. The number in a type counts TensorCores for v4 and v5p,
 * two a chip, and chips for v5e and v6e (cloud.google.com/tpu/docs: v4, v5e, v5p, v6e, runtimes).
 */

interface Family {
  /** The part of the type before the number, as the API spells it. */
  readonly prefix: string;
  readonly coresPerChip: 1 | 2;
  /** Numbers that the family's slices may have. */
  readonly sizes: readonly number[];
  /** A slice of at most this many chips is one host. A larger one has a host for every four chips. */
  readonly oneHostChipsMax: number;
  readonly runtimeVersion: string;
}

const CHIPS_PER_HOST = 4;
const FAMILIES: readonly Family[] = [
  {
    prefix: 'v4',
    coresPerChip: 2,
    sizes: [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
    oneHostChipsMax: 4,
    runtimeVersion: 'tpu-ubuntu2204-base',
  },
  {
    prefix: 'v5litepod',
    coresPerChip: 1,
    sizes: [1, 4, 8, 16, 32, 64, 128, 256],
    oneHostChipsMax: 8,
    runtimeVersion: 'v2-alpha-tpuv5-lite',
  },
  {
    prefix: 'v5p',
    coresPerChip: 2,
    sizes: [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
    oneHostChipsMax: 4,
    runtimeVersion: 'v2-alpha-tpuv5',
  },
  {
    prefix: 'v6e',
    coresPerChip: 1,
    sizes: [1, 4, 8, 16, 32, 64, 128, 256],
    oneHostChipsMax: 8,
    runtimeVersion: 'v2-alpha-tpuv6e',
  },
];

export interface Accelerator {
  /** The type's name in the cloud's API: `v5litepod-16` for `v5e-16`. */
  readonly type: string;
  /** `v4`, `v5litepod`, `v5p`, `v6e`. */
  readonly family: string;
  readonly chips: number;
  readonly hosts: number;
  readonly runtimeVersion: string;
}

/** Converts the common name of a type to the API's: `v5e-16` is `v5litepod-16`. */
const canonical = (name: string): string => name.toLowerCase().replace(/^v5e-/, 'v5litepod-');

/** Returns the slice of this accelerator type, or null if the table lacks it. */
export function findAccelerator(name: string): Accelerator | null {
  const type = canonical(name);
  const [prefix, number] = type.split('-');
  const family = FAMILIES.find((known) => known.prefix === prefix);
  const size = Number(number);
  if (family === undefined || !family.sizes.includes(size) || type !== `${family.prefix}-${size}`) return null;
  const chips = size / family.coresPerChip;
  const hosts = chips <= family.oneHostChipsMax ? 1 : chips / CHIPS_PER_HOST;
  return { type, family: family.prefix, chips, hosts, runtimeVersion: family.runtimeVersion };
}

/** Lists the accelerator types of the table, for messages. */
export const knownAccelerators = (): string =>
  FAMILIES.map(({ prefix, sizes }) => `${prefix}-{${sizes.join(',')}}`).join(', ');
