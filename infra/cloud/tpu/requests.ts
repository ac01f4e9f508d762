/** The request for TPU slices: a queued resource of the API v2, made only from the configuration and the run's name. */
import { findAccelerator, type TpuConfig } from '@stp/config';
import { nodeName, runLabel } from '../../nodes/names.ts';
import type { NodeSet } from '../../nodes/provider.ts';
import type { QueuedResourceBody } from './api.ts';

const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

export interface Slice {
  readonly type: string;
  readonly family: string;
  readonly chips: number;
  readonly hosts: number;
  readonly runtimeVersion: string;
}

/**
 * Returns one configured slice; its own figures take precedence over the table's. The schema guarantees that one of
 * them exists.
 */
export function sliceOf(config: TpuConfig): Slice {
  const known = findAccelerator(config.accelerator);
  return {
    type: known?.type ?? config.accelerator,
    family: known?.family ?? config.accelerator.split('-')[0]!,
    chips: config.chips ?? known?.chips ?? 0,
    hosts: config.hosts ?? known?.hosts ?? 1,
    runtimeVersion: config.runtimeVersion ?? known?.runtimeVersion ?? '',
  };
}

export const tpuParent = ({ project, zone }: Pick<TpuConfig, 'project' | 'zone'>): string =>
  `projects/${project}/locations/${zone}`;

/** @param metadata metadata that every host of the slices reads at its start */
export function queuedResourceBody(
  config: TpuConfig,
  set: NodeSet,
  metadata: Readonly<Record<string, string>>,
): QueuedResourceBody {
  const { type, runtimeVersion } = sliceOf(config);
  const { project, zone, network, subnetwork, externalIps, serviceAccount, tier, reservation } = config;
  const name = nodeName(set);
  return {
    tpu: {
      nodeSpec: [
        {
          parent: tpuParent(config),
          ...(config.slices === 1
            ? { nodeId: name }
            : { multisliceParams: { nodeCount: config.slices, nodeIdPrefix: name } }),
          node: {
            acceleratorType: type,
            runtimeVersion,
            networkConfig: { network, ...(subnetwork === null ? {} : { subnetwork }), enableExternalIps: externalIps },
            ...(serviceAccount === null ? {} : { serviceAccount: { email: serviceAccount, scope: [CLOUD_SCOPE] } }),
            labels: { ...config.labels, 'stp-run': runLabel(set.run), 'stp-generation': String(set.generation) },
            metadata,
            ...(tier === 'reserved' ? { schedulingConfig: { reserved: true } } : {}),
          },
        },
      ],
    },
    ...(tier === 'spot' ? { spot: {} } : {}),
    ...(tier === 'reserved'
      ? { guaranteed: {}, reservationName: `projects/${project}/locations/${zone}/reservations/${reservation}` }
      : {}),
    queueingPolicy: { validUntilDuration: `${config.validUntilMinutes * 60}s` },
  };
}
