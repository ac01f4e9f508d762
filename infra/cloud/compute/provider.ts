/** GPU instances as a node provider: single ones, or a managed group of them. */
import type { GpuConfig } from '@stp/config';
import { nodeName, runLabelOf } from '../../nodes/names.ts';
import type { CloudRequest, NodeProvider, NodeSet, OwnedResource } from '../../nodes/provider.ts';
import { deleteEach } from '../deletions.ts';
import { cloudCall } from '../errors.ts';
import { priceOfNodes } from '../pricing.ts';
import { requestId } from '../request-id.ts';
import type { ComputeApi } from './api.ts';
import { requestGroup, stateOfGroup } from './group.ts';
import { requestInstances, stateOfInstances } from './instances.ts';
import { gpusOf, groupBody, instanceBody, instanceNames, templateBody } from './requests.ts';

const COMPUTE_URL = 'https://compute.googleapis.com/compute/v1';

/** @param metadata what every instance of a set reads at its start (`infra/nodes/start-up.ts`) */
export function gpuProvider(
  config: GpuConfig,
  api: ComputeApi,
  metadata: (set: NodeSet) => Readonly<Record<string, string>>,
): NodeProvider {
  const { project, zone, managedGroup } = config;

  return {
    plan(set) {
      const notes = [];
      if (config.tier === 'spot') notes.push('spot: instances may be taken away at any time; they are asked for again');
      if (managedGroup)
        notes.push('a managed group has no limit of time of its own: nodes.hoursMax holds while the run does');
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
        managedGroup
          ? requestGroup(config, api, set, attempt, metadata(set))
          : requestInstances(config, api, set, attempt, metadata(set)),
      ),

    state: (set) =>
      cloudCall(`look at ${nodeName(set)}`, () =>
        managedGroup ? stateOfGroup(config, api, set) : stateOfInstances(config, api, set),
      ),

    release: (label, last) =>
      cloudCall(`give back what belongs to ${label}`, async () => {
        const before = await owned(label, last);
        const groups = before.filter(({ kind }) => kind === 'instance group');
        await deleteEach(before, async ({ kind, name, state }) => {
          if (kind === 'instance group') await api.deleteGroup(config, lastPart(name));
          else if (kind === 'instance') {
            if (state !== 'STOPPING' && !groups.some((group) => isOf(name, group.name)))
              await api.deleteInstance(config, lastPart(name));
          }
          // A template cannot go before the group that uses it.
          else if (groups.length === 0) await api.deleteTemplate(project, lastPart(name));
        });
        return { left: (await owned(label, last)).map(({ name, state }) => `${name} (${state})`) };
      }),

    list: (label) => cloudCall(`list what is in ${project}, ${zone}`, () => owned(label, null)),
  };

  /** Instances by label; groups and templates, which have none, by name; those of one set by their own names too. */
  async function owned(label: string | null, last: NodeSet | null): Promise<OwnedResource[]> {
    const zonePath = `projects/${project}/zones/${zone}`;
    // The filter's one operator for the beginning of a name is a regular expression.
    const byName = `name eq ${label ?? 'stp'}-.*`;
    const [listed, listedGroups, templates] = await Promise.all([
      api.listInstances(config, label === null ? 'labels.stp-run:*' : `labels.stp-run=${label}`),
      api.listGroups(config, byName),
      api.listTemplates(project, byName),
    ]);
    const names = last === null || managedGroup ? [] : instanceNames(config, last);
    const instances = [...listed, ...(await unlisted(listed, names, (name) => api.getInstance(config, name)))];
    const groupNames = last !== null && managedGroup ? [nodeName(last)] : [];
    const groups = [
      ...listedGroups,
      ...(await unlisted(listedGroups, groupNames, (name) => api.getGroup(config, name))),
    ];
    const all: OwnedResource[] = [
      ...groups.map(({ name, createdAtMs, isStable }) => ({
        kind: 'instance group' as const,
        name: `${zonePath}/instanceGroupManagers/${name}`,
        runLabel: runLabelOf(name) ?? '',
        state: isStable ? 'STABLE' : 'CHANGING',
        createdAtMs,
      })),
      ...instances.map(({ name, status, labels, createdAtMs }) => ({
        kind: 'instance' as const,
        name: `${zonePath}/instances/${name}`,
        runLabel: labels['stp-run'] ?? '',
        state: status,
        createdAtMs,
      })),
      ...templates.map(({ name, createdAtMs }) => ({
        kind: 'instance template' as const,
        name: `projects/${project}/global/instanceTemplates/${name}`,
        runLabel: runLabelOf(name) ?? '',
        state: 'READY',
        createdAtMs,
      })),
    ];
    return all.filter((one) => one.runLabel !== '' && (label === null || one.runLabel === label));
  }
}

/** Returns what exists under these names and is not on the list yet. */
async function unlisted<T extends { readonly name: string }>(
  listed: readonly T[],
  names: readonly string[],
  get: (name: string) => Promise<T | null>,
): Promise<T[]> {
  const missing = names.filter((name) => !listed.some((one) => one.name === name));
  const found = await Promise.all(missing.map(get));
  return found.filter((one) => one !== null);
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Is the instance one that the group has made? It goes with the group. */
const isOf = (instance: string, group: string): boolean => lastPart(instance).startsWith(`${lastPart(group)}-`);

function requestsOf(config: GpuConfig, set: NodeSet, metadata: Readonly<Record<string, string>>): CloudRequest[] {
  const { project, zone } = config;
  const post = (path: string, name: string, body: object): CloudRequest => ({
    method: 'POST',
    url: `${COMPUTE_URL}/projects/${project}/${path}?requestId=${requestId(name, 1)}`,
    body,
  });
  const name = nodeName(set);
  if (config.managedGroup)
    return [
      post('global/instanceTemplates', `${name}/template`, templateBody(config, set, metadata)),
      post(`zones/${zone}/instanceGroupManagers`, `${name}/group`, groupBody(config, set)),
    ];
  return instanceNames(config, set).map((instance) =>
    post(`zones/${zone}/instances`, instance, instanceBody(config, set, instance, metadata)),
  );
}
