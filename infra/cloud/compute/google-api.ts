/**
 * The Compute Engine API v1 through `@google-cloud/compute`, over REST. It uses the machine's credentials. The library
 * is loaded on the first call, because it takes 1.5 s and some 200 MB.
 */
import { z } from 'zod';
import { parseEndpoint } from '../endpoint.ts';
import { codeOf, NOT_FOUND } from '../errors.ts';
import { lazily, orNull } from '../lazily.ts';
import type { ComputeApi, Location, OperationEnd } from './api.ts';

const CALL_TIMEOUT_MS = 60_000;
/** The API's own longest wait for an operation is two minutes (zoneOperations.wait). */
const WAIT_TIMEOUT_MS = 150_000;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const labelsSchema = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {});
const timeSchema = z
  .string()
  .nullish()
  .transform((time) => (time ? Date.parse(time) : null));
const errorsSchema = z
  .object({ errors: z.array(z.object({ code: text, message: text })).nullish() })
  .nullish()
  .transform((error) => error?.errors ?? []);

const operationSchema = z.object({ name: text, status: z.unknown(), error: errorsSchema });
const instanceSchema = z
  .object({
    name: z.string(),
    status: text,
    machineType: text,
    labels: labelsSchema,
    creationTimestamp: timeSchema,
    networkInterfaces: z.array(z.object({ networkIP: text })).nullish(),
  })
  .transform(({ networkInterfaces, creationTimestamp, machineType, ...rest }) => ({
    ...rest,
    machineType: machineType.slice(machineType.lastIndexOf('/') + 1),
    createdAtMs: creationTimestamp,
    address: networkInterfaces?.[0]?.networkIP || null,
  }));
/** @param endpoint `http://host:port` of another server with the same API, for tests */
export function googleComputeApi(endpoint: string | undefined): ComputeApi {
  const server = parseEndpoint(endpoint);
  const library = lazily(() => import('@google-cloud/compute'));
  const instances = lazily(async () => new (await library()).InstancesClient({ ...server }));
  const zoneOperations = lazily(async () => new (await library()).ZoneOperationsClient({ ...server }));
  const options = { timeout: CALL_TIMEOUT_MS };
  const paged = { ...options, autoPaginate: false };
  const waiting = { timeout: WAIT_TIMEOUT_MS };

  const endOf = (operation: unknown): OperationEnd => {
    const { status, error } = operationSchema.parse(operation);
    return { done: status === 'DONE' || status === 2104194, errors: error };
  };
  /** Waits for an operation that was just started. An operation that the API has forgotten is done. */
  const ended = async (begun: unknown, wait: (operation: string) => Promise<unknown>): Promise<OperationEnd> => {
    const operation = (begun as { latestResponse?: unknown }).latestResponse ?? begun;
    const first = endOf(operation);
    if (first.done) return first;
    try {
      return endOf(await wait(operationSchema.parse(operation).name));
    } catch (error) {
      if (codeOf(error) === NOT_FOUND) return { done: true, errors: [] };
      throw error;
    }
  };
  const inZone = async (
    { project, zone }: Location,
    [begun]: readonly [unknown, ...unknown[]],
  ): Promise<OperationEnd> =>
    ended(begun, async (operation) => (await (await zoneOperations()).wait({ project, zone, operation }, waiting))[0]);

  return {
    async insertInstance(location, instanceResource, requestId) {
      const client = await instances();
      return inZone(location, await client.insert({ ...at(location), instanceResource, requestId }, options));
    },
    getInstance: (location, instance) =>
      orNull(async () =>
        instanceSchema.parse((await (await instances()).get({ ...at(location), instance }, options))[0]),
      ),
    listInstances: async (location, filter) =>
      collect((await instances()).listAsync({ ...at(location), filter }, paged), instanceSchema),
    async deleteInstance(location, instance) {
      const client = await instances();
      await orNull(() => client.delete({ ...at(location), instance }, options));
    },
  };
}

/** Passes only project and zone: callers hand in a whole configuration. */
const at = ({ project, zone }: Location): Location => ({ project, zone });

async function collect<T>(found: AsyncIterable<unknown>, schema: z.ZodType<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(schema.parse(one));
  return all;
}
