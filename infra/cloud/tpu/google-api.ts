/**
 * The TPU API v2 through `@google-cloud/tpu`, over REST. It uses the machine's application default credentials. The
 * library is loaded on the first call, because loading takes seconds and a laptop does not need it.
 */
import { z } from 'zod';
import { allAnswered, answered } from '../answered.ts';
import { parseEndpoint } from '../endpoint.ts';
import { lazily, orNull } from '../lazily.ts';
import type { QueuedResource, QueuedResourceBody, TpuApi, TpuNode } from './api.ts';
import { nodeState, queuedResourceState } from './states.ts';

/** Time limit of one call, ms. Creations and deletions are accepted within seconds and completed later. */
const CALL_TIMEOUT_MS = 60_000;
const PAGE_SIZE = 500;

const text = z.string().nullish();
const labelsSchema = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {});
const timestampSchema = z
  .object({
    seconds: z.union([z.number(), z.string(), z.custom<object>((value) => typeof value === 'object')]).nullish(),
  })
  .nullish()
  .transform((time) => (time?.seconds == null ? null : Number(String(time.seconds)) * 1000));

const queuedResourceSchema = z.object({
  name: z.string(),
  createTime: timestampSchema,
  state: z
    .object({
      state: z.unknown(),
      failedData: z.object({ error: z.object({ code: z.number().nullish(), message: text }).nullish() }).nullish(),
    })
    .nullish(),
  tpu: z
    .object({
      nodeSpec: z
        .array(
          z.object({
            parent: text,
            nodeId: text,
            multisliceParams: z.object({ nodeCount: z.number(), nodeIdPrefix: text }).nullish(),
            node: z.object({ acceleratorType: text, labels: labelsSchema }).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

const nodeSchema = z.object({
  name: z.string(),
  state: z.unknown(),
  createTime: timestampSchema,
  labels: labelsSchema,
  healthDescription: text,
  networkEndpoints: z.array(z.object({ ipAddress: text })).nullish(),
});

/**
 * @param endpoint `http://host:port` of another server with the same API, for tests
 * @param limitMs time limit of one call
 */
export function googleTpuApi(endpoint: string | undefined, limitMs = CALL_TIMEOUT_MS): TpuApi {
  const loading = lazily(async () => {
    const { v2 } = await import('@google-cloud/tpu');
    // Always REST: one protocol to test, and no gRPC channel to keep alive.
    return new v2.TpuClient({ fallback: true, ...parseEndpoint(endpoint) });
  });
  const options = { timeout: limitMs };
  const paged = { ...options, autoPaginate: false };
  return {
    async createQueuedResource(parent, queuedResourceId, body, requestId) {
      const client = await loading();
      const queuedResource = messageOf(body);
      const asked = { parent, queuedResourceId, queuedResource, requestId };
      await answered(limitMs, client.createQueuedResource(asked, options));
    },
    async getQueuedResource(name) {
      const client = await loading();
      return orNull(async () =>
        queuedResourceOf((await answered(limitMs, client.getQueuedResource({ name }, options)))[0]),
      );
    },
    async listQueuedResources(parent) {
      const client = await loading();
      const list = client.listQueuedResourcesAsync({ parent, pageSize: PAGE_SIZE }, paged);
      return (await allAnswered(limitMs, list)).map(queuedResourceOf);
    },
    async deleteQueuedResource(name) {
      const client = await loading();
      await orNull(() => answered(limitMs, client.deleteQueuedResource({ name, force: true }, options)));
    },
    async getNode(name) {
      const client = await loading();
      return orNull(async () => nodeOf((await answered(limitMs, client.getNode({ name }, options)))[0]));
    },
    async listNodes(parent) {
      const client = await loading();
      const list = client.listNodesAsync({ parent, pageSize: PAGE_SIZE }, paged);
      return (await allAnswered(limitMs, list)).map(nodeOf);
    },
    async deleteNode(name) {
      const client = await loading();
      await orNull(() => answered(limitMs, client.deleteNode({ name }, options)));
    },
  };
}

/** Converts durations: the library takes messages, the REST API text. */
function messageOf(body: QueuedResourceBody): object {
  const seconds = Number(body.queueingPolicy.validUntilDuration.slice(0, -1));
  return { ...body, queueingPolicy: { validUntilDuration: { seconds } } };
}

function queuedResourceOf(message: unknown): QueuedResource {
  const { name, state, createTime, tpu } = queuedResourceSchema.parse(message);
  const specs = tpu?.nodeSpec ?? [];
  const parent = name.slice(0, name.indexOf('/queuedResources/'));
  const ids = specs.flatMap(({ nodeId, multisliceParams }) => {
    if (!multisliceParams) return nodeId ? [nodeId] : [];
    const prefix = multisliceParams.nodeIdPrefix || name.slice(name.lastIndexOf('/') + 1);
    return Array.from({ length: multisliceParams.nodeCount }, (_, index) => `${prefix}-${index}`);
  });
  const error = state?.failedData?.error;
  return {
    name,
    state: queuedResourceState(state?.state),
    nodes: ids.map((id) => `${parent}/nodes/${id}`),
    acceleratorType: specs[0]?.node?.acceleratorType || null,
    labels: specs[0]?.node?.labels ?? {},
    createdAtMs: createTime,
    failure: error ? { code: error.code ?? 2, message: error.message ?? 'no reason was given' } : null,
  };
}

function nodeOf(message: unknown): TpuNode {
  const { name, state, labels, createTime, networkEndpoints, healthDescription } = nodeSchema.parse(message);
  return {
    name,
    state: nodeState(state),
    labels,
    createdAtMs: createTime,
    addresses: (networkEndpoints ?? []).map(({ ipAddress }) => ipAddress ?? ''),
    healthDescription: healthDescription ?? '',
  };
}
