/** The requests for GPU instances. */
import type { GpuConfig } from '@stp/config';
import { nodeName, runLabel } from '../../nodes/names.ts';
import type { NodeSet } from '../../nodes/provider.ts';

const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** The cloud ends an instance itself this long after the run should have given it back (nodes.hoursMax). */
const GUARD_SLACK_SECONDS = 3_600;
/** The API's limit on an instance's run time (cloud.google.com/compute/docs/instances/limit-vm-runtime). */
const RUN_SECONDS_MAX = 120 * 86_400;

/** Returns the GPUs of a machine type by its name; null if the name does not tell. */
export function gpusOf({ gpus, machineType }: Pick<GpuConfig, 'gpus' | 'machineType'>): number | null {
  if (gpus !== null) return gpus;
  const named = /gpu-(\d+)g/.exec(machineType);
  if (named !== null) return Number(named[1]);
  // Number of L4s of a g2 machine by its vCPUs (cloud.google.com/compute/docs/accelerator-optimized-machines).
  const byCpus: Readonly<Record<string, number>> = { 4: 1, 8: 1, 12: 1, 16: 1, 32: 1, 24: 2, 48: 4, 96: 8 };
  return byCpus[machineType.slice(machineType.lastIndexOf('-') + 1)] ?? null;
}

/** Returns the names of a set's instances, in the order of their numbers. */
export const instanceNames = (config: GpuConfig, set: NodeSet): string[] =>
  Array.from({ length: config.count }, (_, index) => `${nodeName(set)}-${index}`);

export function instanceBody(
  config: GpuConfig,
  set: NodeSet,
  name: string,
  metadata: Readonly<Record<string, string>>,
): object {
  const { zone, machineType, network, externalIps, tier, reservation, serviceAccount, hoursMax, diskGb, image } =
    config;
  const guardSeconds = Math.ceil(hoursMax * 3_600) + GUARD_SLACK_SECONDS;
  return {
    name,
    machineType: `zones/${zone}/machineTypes/${machineType}`,
    labels: { ...config.labels, 'stp-run': runLabel(set.run), 'stp-generation': String(set.generation) },
    disks: [
      {
        boot: true,
        autoDelete: true,
        initializeParams: {
          sourceImage: image,
          diskSizeGb: String(diskGb),
          diskType: `zones/${zone}/diskTypes/${bootDisk(config)}`,
        },
      },
    ],
    networkInterfaces: [
      {
        network: network.includes('/') ? network : `global/networks/${network}`,
        ...subnetworkOf(config),
        ...(externalIps ? { accessConfigs: [{ name: 'External NAT', type: 'ONE_TO_ONE_NAT' }] } : {}),
      },
    ],
    serviceAccounts: [{ email: serviceAccount ?? 'default', scopes: [CLOUD_SCOPE] }],
    scheduling: {
      provisioningModel: tier === 'spot' ? 'SPOT' : 'STANDARD',
      // Instances with GPUs cannot be moved to another host while they run.
      onHostMaintenance: 'TERMINATE',
      automaticRestart: tier !== 'spot',
      instanceTerminationAction: 'DELETE',
      maxRunDuration: { seconds: String(Math.min(guardSeconds, RUN_SECONDS_MAX)) },
    },
    ...(tier === 'reserved'
      ? {
          reservationAffinity: {
            consumeReservationType: 'SPECIFIC_RESERVATION',
            key: 'compute.googleapis.com/reservation-name',
            values: [reservation],
          },
        }
      : {}),
    metadata: { items: Object.entries(metadata).map(([key, value]) => ({ key, value })) },
  };
}

/**
 * The API needs a path where people write a name. A path is used unchanged, since a shared network belongs to another
 * project.
 */
function subnetworkOf({ project, zone, subnetwork }: GpuConfig): { readonly subnetwork?: string } {
  if (subnetwork === null) return {};
  const region = zone.slice(0, zone.lastIndexOf('-'));
  return {
    subnetwork: subnetwork.includes('/')
      ? subnetwork
      : `projects/${project}/regions/${region}/subnetworks/${subnetwork}`,
  };
}

/** a3-ultragpu machines accept no persistent disks (cloud.google.com/compute/docs/accelerator-optimized-machines). */
const bootDisk = ({ machineType }: GpuConfig): string =>
  machineType.startsWith('a3-ultragpu') ? 'hyperdisk-balanced' : 'pd-ssd';
