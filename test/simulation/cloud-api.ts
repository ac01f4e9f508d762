/** The TPU API over the model, without HTTP: calls fail before or after their effect, and lists may be behind. */
import type { QueuedResource, TpuApi, TpuNode } from '../../infra/cloud/tpu/api.ts';
import { ApiError } from '../fakes/api-error.ts';
import type { ModelNode, ModelRequest, TpuModel } from '../fakes/tpu-model.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export interface CloudFaults {
  readonly failBefore: number;
  readonly failAfter: number;
  /** Lists do not show what is younger, ms. */
  readonly listBehindMs: number;
  /** Chance that a call takes up to a minute. */
  readonly slow: number;
}

const CALL_MS_MAX = 2_000;
const SLOW_CALL_MS_MAX = 60_000;

export function modelApi(model: TpuModel, random: Random, scheduler: Scheduler, faults: CloudFaults): TpuApi {
  const call = async <T>(work: () => T): Promise<T> => {
    await scheduler.pause(random.between(1, random.chance(faults.slow) ? SLOW_CALL_MS_MAX : CALL_MS_MAX));
    if (random.chance(faults.failBefore)) throw new ApiError('UNAVAILABLE', 'no answer');
    const result = work();
    if (random.chance(faults.failAfter)) throw new ApiError('UNAVAILABLE', 'no answer to what was done');
    return result;
  };
  const orNull = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'NOT_FOUND') return null;
      throw error;
    }
  };
  const shown = <T extends { createdAtMs: number }>(all: readonly T[]): T[] =>
    all.filter((one) => scheduler.clock.now() - one.createdAtMs >= faults.listBehindMs);
  return {
    createQueuedResource: (parent, id, body) => call(() => void model.create(parent, id, body as never)),
    getQueuedResource: (name) => call(() => orNull(() => queuedOf(model.get(name)))),
    listQueuedResources: (parent) => call(() => shown(model.list(parent)).map(queuedOf)),
    deleteQueuedResource: (name) => call(() => void orNull(() => model.delete(name, true))),
    getNode: (name) => call(() => orNull(() => nodeOf(model.getNode(name)))),
    listNodes: (parent) => call(() => shown(model.listNodes(parent)).map(nodeOf)),
    deleteNode: (name) => call(() => void orNull(() => model.deleteNode(name))),
  };
}

function queuedOf({ name, state, nodes, body, createdAtMs, failure }: ModelRequest): QueuedResource {
  const [spec] = body.tpu?.nodeSpec ?? [];
  const parent = name.slice(0, name.indexOf('/queuedResources/'));
  return {
    name,
    state,
    nodes: nodes.length > 0 ? nodes.map((node) => node.name) : [`${parent}/nodes/${spec?.nodeId}`],
    acceleratorType: spec?.node?.acceleratorType ?? null,
    labels: spec?.node?.labels ?? {},
    createdAtMs,
    failure,
  };
}

function nodeOf({ name, state, body, createdAtMs, addresses }: ModelNode): TpuNode {
  return {
    name,
    state: state === 'GONE' ? 'DELETING' : state,
    labels: body.labels,
    createdAtMs,
    addresses,
    healthDescription: '',
  };
}
