/**
 * Existing machines, listed in a file (JSON or YAML), reached by `ssh` or local. A run uses the machines whose workers
 * `bin/stp nodes up` has started; no machine is bought or deleted.
 */
import { readFileSync, statSync } from 'node:fs';
import { StpError } from '@stp/base';
import type { InventoryConfig } from '@stp/config';
import { parse } from 'yaml';
import { z } from 'zod';
import { hostQueue } from './names.ts';
import type { NodeHost, NodeProvider } from './provider.ts';

const BYTES_MAX = 1_000_000;
const HOSTS_MAX = 10_000;
/** Name or address of a machine; it cannot begin with a dash like an option of ssh. */
const addressSchema = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9[][A-Za-z0-9.:[\]-]*$/, 'is no host name or address');

const inventoryHostSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'may have lower-case letters, digits and "-"'),
  /** Host name or address; `localhost` is this machine, without ssh. */
  address: addressSchema,
  /** Null: as ssh's configuration says. */
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_.-]{0,31}$/)
    .nullable()
    .default(null),
  port: z.int().min(1).max(65_535).nullable().default(null),
  /** Number of workers on the machine. */
  slots: z.int().min(1).max(64).default(1),
  labels: z.record(z.string().max(63), z.string().max(255)).default({}),
});
export type InventoryHost = z.infer<typeof inventoryHostSchema>;

const inventorySchema = z.strictObject({ hosts: z.array(inventoryHostSchema).min(1).max(HOSTS_MAX) });

/** Returns the hosts of the file. Throws STP1001 with the wrong entry. */
export function readInventory(path: string): readonly InventoryHost[] {
  let content: unknown;
  try {
    if (statSync(path).size > BYTES_MAX) throw new Error(`is larger than ${BYTES_MAX} bytes`);
    // JSON is valid YAML. The limit on aliases keeps a small file from expanding.
    content = parse(readFileSync(path, 'utf8'), { maxAliasCount: 100 });
  } catch (cause) {
    throw wrong(path, (cause as Error).message.split('\n')[0]!, cause);
  }
  const parsed = inventorySchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(path, `${issue?.path.join('.') || 'file'}: ${issue?.message}`, parsed.error);
  }
  const seen = new Set<string>();
  for (const { name } of parsed.data.hosts) {
    if (seen.has(name)) throw wrong(path, `two hosts are called ${name}`, null);
    seen.add(name);
  }
  return parsed.data.hosts;
}

/** Returns one entry for every worker of every host. */
export const inventoryWorkers = (hosts: readonly InventoryHost[]): NodeHost[] =>
  hosts.flatMap(({ name, address, slots }) =>
    Array.from({ length: slots }, (_, index) => ({
      name: `${name}/${index}`,
      taskQueue: hostQueue(name, index),
      address,
    })),
  );

export function inventoryProvider(config: InventoryConfig): NodeProvider {
  return {
    plan() {
      const hosts = readInventory(config.file);
      return {
        requests: [],
        hosts: hosts.length,
        accelerators: 0,
        price: { perHour: 0, basis: 'machines that are there already' },
        notes: hosts.map(({ name, address, slots }) => `${name}: ${address}, ${slots} worker${slots === 1 ? '' : 's'}`),
      };
    },
    async request() {
      readInventory(config.file);
      return { kind: 'accepted' };
    },
    // The first work on a worker shows whether it answers.
    async state() {
      return { kind: 'ready', hosts: inventoryWorkers(readInventory(config.file)) };
    },
    async release() {
      return { left: [] };
    },
    async list() {
      return [];
    },
  };
}

function wrong(path: string, problem: string, cause: unknown): StpError {
  return new StpError(
    'STP1001',
    `inventory ${path}: ${problem}`,
    'Write {"hosts": [{"name": "…", "address": "…", "user": "…", "slots": 1}]}, as JSON or YAML.',
    { facts: { path }, cause },
  );
}
