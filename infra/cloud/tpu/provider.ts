/**
 * The node provider for TPU slices: one queued resource for each set, whose states (docs: manage queued resources) are
 * mapped to those that a run needs. Preempted spot slices stay as SUSPENDED or PREEMPTED until they are deleted.
 */
import { StpError } from '@stp/base';
import type { TpuConfig } from '@stp/config';
import { hostQueue, nodeName, runLabel, runLabelOf } from '../../nodes/names.ts';
import type { NodeHost, NodeProvider, NodeSet, NodesState, OwnedResource } from '../../nodes/provider.ts';
import { deleteEach } from '../deletions.ts';
import { CAPACITY_ADVICE, cloudCall, cloudError, codeOf, isAlreadyThere, QUOTA_ADVICE, shortageOf } from '../errors.ts';
import { priceOfNodes } from '../pricing.ts';
import { requestId } from '../request-id.ts';
import type { QueuedResource, TpuApi, TpuNode } from './api.ts';
import { queuedResourceBody, sliceOf, tpuParent } from './requests.ts';
import type { NodeState } from './states.ts';

const TPU_URL = 'https://tpu.googleapis.com/v2';

/** States of a node that is coming up; all others except READY mean that it is lost. */
const NODE_ON_ITS_WAY: ReadonlySet<NodeState> = new Set([
  'STATE_UNSPECIFIED',
  'CREATING',
  'RESTARTING',
  'REIMAGING',
  'REPAIRING',
  'STARTING',
  'UNHIDING',
  'UNKNOWN',
]);

/** @param metadata metadata that every host of a set reads at its start (`infra/nodes/start-up.ts`) */
export function tpuProvider(
  config: TpuConfig,
  api: TpuApi,
  metadata: (set: NodeSet) => Readonly<Record<string, string>>,
): NodeProvider {
  const parent = tpuParent(config);
  const slice = sliceOf(config);
  const nameOf = (set: NodeSet): string => `${parent}/queuedResources/${nodeName(set)}`;

  return {
    plan(set) {
      const chips = slice.chips * config.slices;
      const hosts = slice.hosts * config.slices;
      const id = nodeName(set);
      const notes = [`base image ${slice.runtimeVersion}`];
      if (config.tier === 'spot') notes.push('spot: slices may be taken away at any time; the run asks for them again');
      if (!config.externalIps)
        notes.push('no external addresses: the network needs Cloud NAT and Private Google Access');
      const url = `${TPU_URL}/${parent}/queuedResources?queuedResourceId=${id}&requestId=${requestId(id, 1)}`;
      return {
        requests: [{ method: 'POST', url, body: queuedResourceBody(config, set, metadata(set)) }],
        hosts,
        accelerators: chips,
        price: priceOfNodes(config, new Date()),
        notes,
      };
    },

    async request(set, attempt) {
      const id = nodeName(set);
      try {
        await api.createQueuedResource(
          parent,
          id,
          queuedResourceBody(config, set, metadata(set)),
          requestId(id, attempt),
        );
      } catch (error) {
        const code = codeOf(error);
        if (isAlreadyThere(error))
          return requireOurs(await cloudCall(`get ${id}`, () => api.getQueuedResource(nameOf(set))), set);
        if (shortageOf(code, String(error)) === 'capacity')
          return { kind: 'no-capacity', reason: (error as Error).message };
        throw cloudError(`ask for ${config.accelerator} in ${config.zone}`, error);
      }
      return { kind: 'accepted' };
    },

    async state(set) {
      const name = nameOf(set);
      const queued = await cloudCall(`get ${name}`, () => api.getQueuedResource(name));
      if (queued === null) return { kind: 'absent' };
      const { acceleratorType } = queued;
      if (acceleratorType !== null && acceleratorType !== slice.type)
        return { kind: 'lost', reason: `${nodeName(set)} is an earlier run's ${acceleratorType}, not ${slice.type}` };
      if (queued.nodes.length > 0 && queued.nodes.length !== config.slices)
        return { kind: 'lost', reason: `${nodeName(set)} has ${queued.nodes.length} slices, not ${config.slices}` };
      if (queued.state !== 'ACTIVE') return stateOfRequest(queued);
      const nodes = await cloudCall(`get the nodes of ${name}`, () =>
        Promise.all(queued.nodes.map((node) => api.getNode(node))),
      );
      return stateOfNodes(queued.nodes, nodes, slice.hosts);
    },

    async release(label, last) {
      const [queued, nodes] = await owned(label, last);
      const covered = new Set(queued.flatMap((request) => request.nodes));
      // Nodes of a request are deleted with it; a node without a request would cost money unnoticed.
      const alone = nodes.filter(({ name }) => !covered.has(name));
      const deletions = [
        ...queued.map((one) => ({ ...one, work: () => api.deleteQueuedResource(one.name) })),
        ...alone.map((one) => ({ ...one, work: () => api.deleteNode(one.name) })),
      ].filter(({ state }) => state !== 'DELETING');
      await deleteEach(deletions, ({ name, work }) => cloudCall(`delete ${name}`, work));
      const [queuedLeft, nodesLeft] = await owned(label, last);
      return { left: [...queuedLeft, ...nodesLeft].map(({ name, state }) => `${name} (${state})`) };
    },

    async list(label) {
      const [queued, nodes] = await owned(label, null);
      return [
        ...queued.map((one) => resourceOf('queued resource', one)),
        ...nodes.map((one) => resourceOf('TPU node', one)),
      ];
    },
  };

  /** Lists requests and nodes of a run, or of all runs, by label, and the request of one set by its name. */
  async function owned(label: string | null, last: NodeSet | null): Promise<[QueuedResource[], TpuNode[]]> {
    const isOwned = ({ name, labels }: { name: string; labels: Readonly<Record<string, string>> }): boolean =>
      label === null ? labelOf(name, labels) !== null : labelOf(name, labels) === label;
    return cloudCall(`list what is in ${parent}`, async () => {
      const queued = [...(await api.listQueuedResources(parent))];
      const named = last === null || queued.some(({ name }) => name === nameOf(last)) ? null : nameOf(last);
      const found = named === null ? null : await api.getQueuedResource(named);
      if (found !== null) queued.push(found);
      return [queued.filter(isOwned), (await api.listNodes(parent)).filter(isOwned)];
    });
  }
}

/** A failed request may lack the labels of its nodes, but its name identifies the run too. */
const labelOf = (name: string, labels: Readonly<Record<string, string>>): string | null =>
  labels['stp-run'] ?? runLabelOf(name.slice(name.lastIndexOf('/') + 1));

function resourceOf(kind: OwnedResource['kind'], one: QueuedResource | TpuNode): OwnedResource {
  const { name, state, labels, createdAtMs } = one;
  return { kind, name, runLabel: labelOf(name, labels) ?? '', state, createdAtMs };
}

/** The name exists already: from an earlier call of ours, or from another user. */
function requireOurs(found: QueuedResource | null, set: NodeSet): { kind: 'accepted' } {
  const label = runLabel(set.run);
  // If it was deleted meanwhile, its state will show that.
  if (found === null || labelOf(found.name, found.labels) === label) return { kind: 'accepted' };
  throw new StpError(
    'STP1602',
    `${found.name} exists already and belongs to ${found.labels['stp-run'] ?? 'an unknown owner'}`,
    'Give the run another name, or delete that resource.',
    { facts: { name: found.name, label } },
  );
}

function stateOfRequest(queued: QueuedResource): NodesState {
  const { state, failure } = queued;
  switch (state) {
    case 'FAILED': {
      const reason = failure?.message ?? 'the request failed without a reason';
      const isQuota = failure !== null && shortageOf(failure.code, failure.message) === 'quota';
      // An expired request or one without capacity may be repeated; an invalid one stays invalid.
      const again =
        !isQuota &&
        (failure === null ||
          shortageOf(failure.code, failure.message) === 'capacity' ||
          /valid.?until|expired|internal/i.test(failure.message));
      return { kind: 'failed', reason, advice: isQuota ? QUOTA_ADVICE : CAPACITY_ADVICE, again };
    }
    case 'SUSPENDING':
    case 'SUSPENDED':
    case 'DELETING':
      return { kind: 'lost', reason: `the queued resource is ${state}` };
    default:
      return { kind: 'waiting', reason: `the queued resource is ${state}` };
  }
}

function stateOfNodes(names: readonly string[], nodes: readonly (TpuNode | null)[], hostsPerSlice: number): NodesState {
  const hosts: NodeHost[] = [];
  let waiting: string | null = null;
  for (const [index, node] of nodes.entries()) {
    const name = names[index]!.slice(names[index]!.lastIndexOf('/') + 1);
    if (node === null) return { kind: 'lost', reason: `node ${name} is gone` };
    if (NODE_ON_ITS_WAY.has(node.state)) waiting = `node ${name} is ${node.state}`;
    else if (node.state !== 'READY') return { kind: 'lost', reason: `node ${name} is ${node.state}` };
    else if (node.addresses.length < hostsPerSlice)
      waiting = `node ${name} has ${node.addresses.length} of ${hostsPerSlice} hosts`;
    for (const [number, address] of node.addresses.entries())
      hosts.push({ name: `${name}/${number}`, taskQueue: hostQueue(name, number), address: address || null });
  }
  return waiting === null ? { kind: 'ready', hosts } : { kind: 'waiting', reason: waiting };
}
