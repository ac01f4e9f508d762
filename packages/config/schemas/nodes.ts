/**
 * The machines of a run (`nodes` of the configuration): this machine, TPU slices, GPU instances, or existing machines.
 * Cloud machines have time limits, so that no run can cost without end.
 */
import { z } from 'zod';
import { findAccelerator, knownAccelerators } from './accelerators.ts';

const positive = z.number().int().positive();
/**
 * Maximum duration of a command on a node: below the 24.8 days that Node's timers hold. Work that takes longer is a
 * training, which resumes after a loss; a command does not.
 */
export const COMMAND_SECONDS_MAX = 24 * 86_400;

const HOURS_PER_YEAR = 24 * 365;

const projectSchema = z.string().regex(/^(?:[a-z0-9.-]{1,63}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, 'is no project id');
const zoneSchema = z.string().regex(/^[a-z]+-[a-z]+\d+-[a-z]$/, 'is no zone such as us-central2-b');
/** Name of a network, service account or image: a path of the API, without spaces or control characters. */
const resourceSchema = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[\w.@:/-]+$/);
const labelSchema = z.string().regex(/^[a-z0-9_-]{0,63}$/, 'may have lower-case letters, digits, "_" and "-"');

/** USD an hour for all nodes together; replaces the price table (`infra/cloud/prices.json`, STP_PRICES). */
const priceSchema = z.number().nonnegative().nullable().default(null);

/** Settings that all cloud machines share. */
const cloudShape = {
  project: projectSchema,
  zone: zoneSchema,
  network: resourceSchema.default('default'),
  /** Null: the network's subnetwork of the region. */
  subnetwork: resourceSchema.nullable().default(null),
  /** Without external addresses a node reaches the internet and the APIs by Cloud NAT and Private Google Access. */
  externalIps: z.boolean().default(false),
  /** E-mail of the nodes' service account; null: the project's default one. */
  serviceAccount: resourceSchema.nullable().default(null),
  /** Labels beside our own (`stp-run`, `stp-generation`), for bills and searches. */
  labels: z.record(z.string().regex(/^(?!stp-)[a-z][a-z0-9_-]{0,62}$/), labelSchema).default({}),
  /** A `spot` machine can be preempted at any time; the run then requests it again. */
  tier: z.enum(['onDemand', 'spot', 'reserved']).default('onDemand'),
  /** With `reserved`: name of the reservation. */
  reservation: resourceSchema.nullable().default(null),
  /** Cost guard: after this many hours with nodes the run releases them and ends with STP1606. */
  hoursMax: z.number().positive().max(HOURS_PER_YEAR).default(24),
  /** How long the run waits for capacity, minutes. */
  validUntilMinutes: positive.max(30 * 24 * 60).default(720),
  /**
   * Maximum time from a ready node to a polling worker, minutes: covers all installation, Mathlib and models
   * included.
   */
  setUpMinutes: positive.max(24 * 60).default(90),
  pricePerHour: priceSchema,
  /** The worker that nodes install: `gs://bucket/…/worker.tar.gz` made by `bin/stp nodes bundle`, and its SHA-256. */
  bundle: z
    .string()
    .regex(/^gs:\/\/[\w.-]+\/[\w./+-]+$/)
    .nullable()
    .default(null),
  bundleSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
  /**
   * Address of the Temporal server for the nodes; null: that of the requesting worker, which must then not be
   * localhost.
   */
  temporalAddress: z
    .string()
    .regex(/^[\w.-]+:\d{1,5}$/)
    .nullable()
    .default(null),
  temporalNamespace: z
    .string()
    .regex(/^[\w.-]{1,128}$/)
    .default('default'),
  /**
   * Secrets of Secret Manager, passed to a node's worker as environment variables: variable →
   * `projects/P/secrets/S/versions/V`.
   */
  secrets: z
    .record(
      z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/),
      z.string().regex(/^projects\/[\w:.-]+\/secrets\/[\w-]+\/versions\/(?:\d+|latest)$/),
    )
    .default({}),
} as const;

const localSchema = z.strictObject({
  /** The machine of the worker itself. */
  provider: z.literal('local'),
  pricePerHour: priceSchema,
});

const tpuSchema = z
  .strictObject({
    provider: z.literal('tpu'),
    ...cloudShape,
    /** Accelerator type of one slice: `v4-8` … `v4-4096`, `v5e-…` (`v5litepod-…`), `v5p-…`, `v6e-…`. */
    accelerator: z
      .string()
      .regex(/^[a-z0-9]+-\d+$/i, 'is no accelerator type such as v4-256')
      .default('v4-8'),
    /** Base image; null: the one that fits the accelerator. */
    runtimeVersion: resourceSchema.nullable().default(null),
    /** Number of slices that are requested together (multislice). */
    slices: positive.max(256).default(1),
    /** Hosts of one slice, for accelerator types that are not in the table. */
    hosts: positive.max(4_096).nullable().default(null),
    chips: positive.max(16_384).nullable().default(null),
  })
  .superRefine((config, context) => {
    requireReservation(config, context);
    if (findAccelerator(config.accelerator) !== null) return;
    if (config.hosts !== null && config.chips !== null && config.runtimeVersion !== null) return;
    context.addIssue({
      code: 'custom',
      path: ['accelerator'],
      message: `${config.accelerator} is not known (known: ${knownAccelerators()}); set nodes.hosts, nodes.chips and nodes.runtimeVersion to use it all the same`,
    });
  });

const gpuSchema = z
  .strictObject({
    provider: z.literal('gpu'),
    ...cloudShape,
    /** Machine type with built-in GPUs: a2, a3 or g2. */
    machineType: z
      .string()
      .regex(
        /^(?:a2-(?:high|mega|ultra)gpu-\d+g|a3-(?:high|mega|ultra|edge)gpu-\d+g(?:-nolssd)?|g2-standard-\d+)$/,
        'is no machine type of a2, a3 or g2, such as a2-highgpu-8g',
      )
      .default('a2-highgpu-1g'),
    /** Boot image: a project's family or image with NVIDIA's driver. */
    image: resourceSchema.default(
      'projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2204-amd64-with-nvidia-570',
    ),
    /** Instances. */
    count: positive.max(1_000).default(1),
    diskGb: positive.min(50).max(65_536).default(500),
    /** GPUs of one instance, for machine types that are not in the table. */
    gpus: positive.max(64).nullable().default(null),
  })
  .superRefine(requireReservation);

const inventorySchema = z.strictObject({
  provider: z.literal('inventory'),
  /** JSON or YAML file of the hosts (`infra/nodes/inventory.ts`), on the control worker's machine. */
  file: z.string().min(1).max(4_096),
  pricePerHour: priceSchema,
});

export const nodesConfigSchema = z.discriminatedUnion('provider', [localSchema, tpuSchema, gpuSchema, inventorySchema]);
export type NodesConfig = z.infer<typeof nodesConfigSchema>;
export type TpuConfig = z.infer<typeof tpuSchema>;
export type GpuConfig = z.infer<typeof gpuSchema>;
export type InventoryConfig = z.infer<typeof inventorySchema>;
/** Machines that cost by the hour and that the run acquires and releases. */
export type CloudConfig = TpuConfig | GpuConfig;

function requireReservation(config: { tier: string; reservation: string | null }, context: z.RefinementCtx): void {
  if ((config.tier === 'reserved') === (config.reservation !== null)) return;
  const message = config.tier === 'reserved' ? 'is wanted by tier reserved' : 'is for tier reserved only';
  context.addIssue({ code: 'custom', path: ['reservation'], message });
}
