/**
 * The TPU API v2 over HTTP, as the official client speaks it in REST mode: queued resources and nodes of `TpuModel`,
 * long-running operations, enums as numbers where the request wants them so.
 */
import { findAccelerator } from '@stp/config';
import { ApiError } from './api-error.ts';
import type { FakeClock } from './clock.ts';
import { type CloudCall, type CloudServer, startCloudServer } from './cloud-server.ts';
import { type ModelNode, type ModelRequest, TpuModel } from './tpu-model.ts';

const REQUEST_STATE = {
  CREATING: 1,
  ACCEPTED: 2,
  PROVISIONING: 3,
  FAILED: 4,
  DELETING: 5,
  ACTIVE: 6,
  SUSPENDING: 7,
  SUSPENDED: 8,
  WAITING_FOR_RESOURCES: 9,
};
const NODE_STATE = { CREATING: 1, READY: 2, DELETING: 5, PREEMPTED: 11, GONE: 5 };
const PAGE_MAX = 2;

export interface FakeTpu extends CloudServer {
  readonly model: TpuModel;
}

/** @param token what requests must carry; null: nothing */
export async function startFakeTpu(clock: FakeClock, token: string | null): Promise<FakeTpu> {
  const model = new TpuModel(clock, (type) => findAccelerator(type)?.hosts ?? 1);
  const operations = new Map<string, { done: boolean; response: object }>();
  let operationCount = 0;
  const begin = (parent: string, response: object): object => {
    operationCount += 1;
    const name = `${parent}/operations/operation-${operationCount}`;
    operations.set(name, { done: false, response });
    return { name, done: false, metadata: { '@type': 'type.googleapis.com/google.cloud.tpu.v2.OperationMetadata' } };
  };

  function handle({ method, path, query, body }: CloudCall): unknown {
    const numbers = (query.get('$alt') ?? '').includes('enum-encoding=int');
    const match = /^\/v2\/(projects\/[^/]+\/locations\/[^/]+)\/(queuedResources|nodes|operations)(?:\/([^/:]+))?$/.exec(
      path,
    );
    if (match === null) throw new ApiError('NOT_FOUND', `no such path: ${path}`);
    const [, parent, collection, id] = match as unknown as [string, string, string, string | undefined];
    const name = `${parent}/${collection}/${id}`;
    const page = <T>(key: string, all: readonly T[], show: (one: T) => object): object => {
      const start = Number(query.get('pageToken') || 0);
      const end = start + PAGE_MAX;
      return {
        [key]: all.slice(start, end).map(show),
        ...(end < all.length ? { nextPageToken: String(end) } : {}),
      };
    };
    const typed = (message: string, value: object): object => ({
      '@type': `type.googleapis.com/google.cloud.tpu.v2.${message}`,
      ...value,
    });
    switch (`${method} ${collection}`) {
      case 'POST queuedResources': {
        const made = model.create(parent, query.get('queuedResourceId') ?? '', body as never);
        return begin(parent, typed('QueuedResource', requestJson(made, true)));
      }
      case 'GET queuedResources':
        return id === undefined
          ? page('queuedResources', model.list(parent), (one) => requestJson(one, numbers))
          : requestJson(model.get(name), numbers);
      case 'DELETE queuedResources':
        model.delete(name, query.get('force') === 'true');
        return begin(parent, { '@type': 'type.googleapis.com/google.protobuf.Empty' });
      case 'GET nodes':
        return id === undefined
          ? page('nodes', model.listNodes(parent), (one) => nodeJson(one, numbers))
          : nodeJson(model.getNode(name), numbers);
      case 'DELETE nodes':
        model.deleteNode(name);
        return begin(parent, { '@type': 'type.googleapis.com/google.protobuf.Empty' });
      case 'GET operations': {
        const operation = operations.get(name);
        if (operation === undefined) throw new ApiError('NOT_FOUND', name);
        operation.done = true;
        return { name, done: true, response: operation.response };
      }
      default:
        throw new ApiError('NOT_FOUND', `${method} ${path}`);
    }
  }

  return Object.assign(await startCloudServer(token, handle), { model });
}

function requestJson({ name, body, state, failure, createdAtMs }: ModelRequest, numbers: boolean): object {
  return {
    ...body,
    name,
    createTime: new Date(createdAtMs).toISOString(),
    state: {
      state: numbers ? REQUEST_STATE[state] : state,
      ...(failure === null ? {} : { failedData: { error: failure } }),
    },
  };
}

function nodeJson(node: ModelNode, numbers: boolean): object {
  const { name, body, state, createdAtMs, addresses, queuedResource } = node;
  return {
    ...body,
    name,
    queuedResource,
    createTime: new Date(createdAtMs).toISOString(),
    state: numbers ? NODE_STATE[state] : state,
    networkEndpoints: addresses.map((ipAddress) => ({ ipAddress, port: 8470 })),
  };
}
