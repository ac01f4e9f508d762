/** The node provider for GPU instances. */
import type { GpuConfig } from '@stp/config';
import { nodeName } from '../../nodes/names.ts';
import type { CloudRequest, NodeProvider, NodeSet, OwnedResource } from '../../nodes/provider.ts';
import { deleteEach } from '../deletions.ts';
import { cloudCall } from '../errors.ts';
import { priceOfNodes } from '../pricing.ts';
import { requestId } from '../request-id.ts';
import type { ComputeApi } from './api.ts';
import { requestInstances, stateOfInstances } from './instances.ts';
import { gpusOf, instanceBody, instanceNames } from './requests.ts';

const COMPUTE_URL = 'https://compute.googleapis.com/compute/v1';

/** @param metadata metadata that every instance of a set reads at its start (`infra/nodes/start-up.ts`) */
export function gpuProvider(
  config: GpuConfig,
  api: ComputeApi,
  metadata: (set: NodeSet) => Readonly<Record<string, string>>,
): NodeProvider {
  const { project, zone } = config;

  return {
    plan(set) {
      const notes = [];
      if (config.tier === 'spot') notes.push('spot: instances may be taken away at any time; they are asked for again');
      if (!config.externalIps)
        notes.push('no external addresses: the network needs Cloud NAT and Private Google Access');
      return {
        requests: requestsOf(config, set, metadata(set)),
        hosts: config.count,
        accelerators: (gpusOf(config) ?? 0) * config.count,
        price: priceOfNodes(config, new Date()),
        notes,
      };
    },

    request: (set, attempt) =>
      cloudCall(`ask for ${config.count} × ${config.machineType} in ${zone}`, () =>
        requestInstances(config, api, set, attempt, metadata(set)),
      ),

    state: (set) => cloudCall(`look at ${nodeName(set)}`, () => stateOfInstances(config, api, set)),

    release: (label, last) =>
      cloudCall(`give back what belongs to ${label}`, async () => {
        await deleteEach(await owned(label, last), async ({ name, state }) => {
          if (state !== 'STOPPING') await api.deleteInstance(config, name.slice(name.lastIndexOf('/') + 1));
        });
        return { left: (await owned(label, last)).map(({ name, state }) => `${name} (${state})`) };
      }),

    list: (label) => cloudCall(`list what is in ${project}, ${zone}`, () => owned(label, null)),
  };

  /** Lists instances by label; those of one set by their names too. */
  async function owned(label: string | null, last: NodeSet | null): Promise<OwnedResource[]> {
    const listed = await api.listInstances(config, label === null ? 'labels.stp-run:*' : `labels.stp-run=${label}`);
    const names = last === null ? [] : instanceNames(config, last);
    const missing = names.filter((name) => !listed.some((one) => one.name === name));
    const found = await Promise.all(missing.map((name) => api.getInstance(config, name)));
    return [...listed, ...found.filter((one) => one !== null)]
      .map(({ name, status, labels, createdAtMs }) => ({
        kind: 'instance' as const,
        name: `projects/${project}/zones/${zone}/instances/${name}`,
        runLabel: labels['stp-run'] ?? '',
        state: status,
        createdAtMs,
      }))
      .filter((one) => one.runLabel !== '' && (label === null || one.runLabel === label));
  }
}

function requestsOf(config: GpuConfig, set: NodeSet, metadata: Readonly<Record<string, string>>): CloudRequest[] {
  const { project, zone } = config;
  return instanceNames(config, set).map((instance) => ({
    method: 'POST',
    url: `${COMPUTE_URL}/projects/${project}/zones/${zone}/instances?requestId=${requestId(instance, 1)}`,
    body: instanceBody(config, set, instance, metadata),
  }));
}
