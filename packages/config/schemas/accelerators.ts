/**
 * TPU slices by the name of their accelerator type: chips, hosts and the base image that fits. v4 and v5p count
 * TensorCores, two a chip; v5e and v6e count chips (cloud.google.com/tpu/docs: v4, v5e, v5p, v6e, runtimes).
 */

interface Family {
  /** Name before the number, as the API wants it. */
  readonly prefix: string;
  readonly coresPerChip: 1 | 2;
  /** Numbers that the family's slices may have. */
  readonly sizes: readonly number[];
  /** Slices of up to so many chips are one host; larger ones have a host for every four chips. */
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

/** One slice. */
export interface Accelerator {
  /** The type's name in the cloud's API: `v5litepod-16` for `v5e-16`. */
  readonly type: string;
  /** `v4`, `v5litepod`, `v5p`, `v6e`. */
  readonly family: string;
  readonly chips: number;
  readonly hosts: number;
  readonly runtimeVersion: string;
}

/** Names people use beside the API's own. */
const canonical = (name: string): string => name.toLowerCase().replace(/^v5e-/, 'v5litepod-');

/** The slice of this accelerator type, or null for one that the table does not have. */
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

/** For people: what the table has. */
export const knownAccelerators = (): string =>
  FAMILIES.map(({ prefix, sizes }) => `${prefix}-{${sizes.join(',')}}`).join(', ');
