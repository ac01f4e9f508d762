/**
 * The Compute Engine API v1 over HTTP, as the official client speaks it: instances of `ComputeModel`, operations that are
 * waited for, filters by label.
 */
import { ApiError } from './api-error.ts';
import type { FakeClock } from './clock.ts';
import { type CloudCall, type CloudServer, startCloudServer } from './cloud-server.ts';
import { ComputeModel, type ModelInstance, type OperationErrors } from './compute-model.ts';

export interface FakeCompute extends CloudServer {
  readonly model: ComputeModel;
}

const PATH =
  /^\/compute\/v1\/projects\/([^/]+)\/(?:zones\/([^/]+))\/(instances|operations)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const PAGE_MAX = 3;

/** @param token what requests must carry; null: nothing */
export async function startFakeCompute(clock: FakeClock, token: string | null): Promise<FakeCompute> {
  const model = new ComputeModel(clock);
  const operations = new Map<string, OperationErrors>();

  function handle({ method, path, query, body }: CloudCall): unknown {
    const match = PATH.exec(path);
    if (match === null) throw new ApiError('NOT_FOUND', `no such path: ${path}`);
    const [, project, zone, collection, name = '', verb] = match;
    const zoneUrl = `https://www.googleapis.com/compute/v1/projects/${project}/zones/${zone}`;
    const operation = (id: string, done: boolean): object => {
      const errors = operations.get(id) ?? [];
      return {
        kind: 'compute#operation',
        name: id,
        selfLink: `${zoneUrl}/operations/${id}`,
        status: done ? 'DONE' : 'RUNNING',
        ...(done && errors.length > 0 ? { error: { errors } } : {}),
      };
    };
    const begin = (work: () => unknown): object => {
      const known = model.requestIds.get(query.get('requestId') ?? '');
      if (known !== undefined) return operation(known, false);
      const errors = (work() as OperationErrors | undefined) ?? [];
      const id = `operation-${operations.size + 1}`;
      operations.set(id, errors);
      if (query.has('requestId')) model.requestIds.set(query.get('requestId')!, id);
      return operation(id, false);
    };
    const list = <T extends { name: string }>(all: readonly T[], show: (one: T) => object): object => {
      const found = all.filter((one) => isWanted(show(one) as Filtered, query.get('filter')));
      const start = Number(query.get('pageToken') || 0);
      const nextPageToken = start + PAGE_MAX < found.length ? String(start + PAGE_MAX) : undefined;
      return {
        items: found.slice(start, start + PAGE_MAX).map(show),
        ...(nextPageToken === undefined ? {} : { nextPageToken }),
      };
    };
    const instance = (one: ModelInstance): object => ({
      kind: 'compute#instance',
      name: one.name,
      status: one.status,
      labels: one.properties.labels ?? {},
      creationTimestamp: new Date(one.createdAtMs).toISOString(),
      selfLink: `${zoneUrl}/instances/${one.name}`,
      // As in the API, a whole address for every request.
      machineType: `https://www.googleapis.com/compute/v1/projects/p/zones/z/machineTypes/${one.properties.machineType?.split('/').at(-1)}`,
      networkInterfaces: [{ networkIP: one.address }],
    });
    model.settle();
    switch (`${method} ${collection}${name === '' ? '' : '/one'}${verb === undefined ? '' : `/${verb}`}`) {
      case 'POST instances': {
        const { name: wanted, ...properties } = body as { name: string };
        return begin(() => model.insert(wanted, properties));
      }
      case 'GET instances':
        return list(model.live(), instance);
      case 'GET instances/one':
        return instance(model.get(name));
      case 'DELETE instances/one':
        return begin(() => model.delete(name));
      case 'POST operations/one/wait':
      case 'GET operations/one':
        if (!operations.has(name)) throw new ApiError('NOT_FOUND', name);
        return operation(name, true);
      default:
        throw new ApiError('NOT_FOUND', `${method} ${path}`);
    }
  }

  return Object.assign(await startCloudServer(token, handle), { model });
}

interface Filtered {
  readonly labels?: Readonly<Record<string, string>>;
}

/** The filters that are used here: `labels.KEY=VALUE`, `labels.KEY:*`. Others are refused, as the API does. */
function isWanted(one: Filtered, filter: string | null): boolean {
  if (filter === null || filter === '') return true;
  const label = /^labels\.([a-z-]+)(?:=([\w-]+)|:\*)$/.exec(filter);
  if (label !== null) {
    const value = one.labels?.[label[1]!];
    return label[2] === undefined ? value !== undefined : value === label[2];
  }
  throw new ApiError('INVALID_ARGUMENT', `Invalid value for field 'filter': '${filter}'`, 'invalid');
}
