/** GPU instances as one managed instance group: the group itself replaces lost ones, under their old names. */
import type { GpuConfig } from '@stp/config';
import { nodeName, runLabel } from '../../nodes/names.ts';
import type { Asked, NodeSet, NodesState } from '../../nodes/provider.ts';
import { shortageOf } from '../errors.ts';
import { requestId } from '../request-id.ts';
import type { ComputeApi } from './api.ts';
import { failedState, foreignOf, hostOf, insertOnce, textOf } from './instances.ts';
import { groupBody, templateBody } from './requests.ts';

export async function requestGroup(
  config: GpuConfig,
  api: ComputeApi,
  set: NodeSet,
  attempt: number,
  metadata: Readonly<Record<string, string>>,
): Promise<Asked> {
  const name = nodeName(set);
  const template = await insertOnce(`make instance template ${name}`, () =>
    api.insertTemplate(config.project, templateBody(config, set, metadata), requestId(`${name}/template`, attempt)),
  );
  if (template.kind === 'no-capacity') return template;
  return insertOnce(`make instance group ${name}`, () =>
    api.insertGroup(config, groupBody(config, set), requestId(`${name}/group`, attempt)),
  );
}

export async function stateOfGroup(config: GpuConfig, api: ComputeApi, set: NodeSet): Promise<NodesState> {
  const name = nodeName(set);
  const group = await api.getGroup(config, name);
  if (group === null) return { kind: 'absent' };
  if (group.targetSize !== config.count)
    return { kind: 'lost', reason: `group ${name} has ${group.targetSize} instances, not ${config.count}` };
  const managed = await api.listManagedInstances(config, name);
  const errors = managed.flatMap((one) => one.errors);
  // The group tries again by itself where capacity is short; it would try for ever where quota is.
  if (shortageOf(null, errors.map(textOf).join('; ')) === 'quota') return failedState(errors);
  const running = managed.filter((one) => one.status === 'RUNNING' && one.currentAction === 'NONE');
  if (running.length < config.count)
    return { kind: 'waiting', reason: `${running.length} of ${config.count} instances run` };
  const instances = await api.listInstances(config, `labels.stp-run=${runLabel(set.run)}`);
  const foreign = foreignOf(config, set, instances);
  if (foreign !== undefined) return { kind: 'lost', reason: `${foreign} is of an earlier run, which asked for others` };
  const addresses = new Map(instances.map((one) => [one.name, one.address]));
  const names = running.map((one) => one.name).sort();
  return { kind: 'ready', hosts: names.map((one) => hostOf({ name: one, address: addresses.get(one) ?? null })) };
}
