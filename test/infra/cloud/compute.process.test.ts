/**
 * GPU instances through the official client over loopback. Costs about 5 s, most of it loading the
 * client.
 */

import { type GpuConfig, nodesConfigSchema } from '@stp/config';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ComputeApi } from '../../../infra/cloud/compute/api.ts';
import { googleComputeApi } from '../../../infra/cloud/compute/google-api.ts';
import { gpuProvider } from '../../../infra/cloud/compute/provider.ts';
import { runLabel } from '../../../infra/nodes/names.ts';
import type { NodeProvider } from '../../../infra/nodes/provider.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { type FakeCompute, startFakeCompute } from '../../fakes/compute.ts';
import { type FakeMetadata, startFakeMetadata } from '../../fakes/metadata.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const SET = { run: 'gpu-run-abcdef12', generation: 1 };
const LABEL = runLabel(SET.run);
const NAME = `${LABEL}-g1`;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const clock = fakeClock();
let metadata: FakeMetadata;
let cloud: FakeCompute;
let api: ComputeApi;

const provider = (values: object = {}): NodeProvider => {
  const config = {
    provider: 'gpu',
    project: 'test-project',
    zone: 'us-central1-a',
    machineType: 'a2-highgpu-8g',
    ...values,
  };
  return gpuProvider(nodesConfigSchema.parse(config) as GpuConfig, api, () => ({ 'startup-script': '#!/bin/sh\n' }));
};

beforeAll(async () => {
  metadata = await startFakeMetadata();
  Object.assign(process.env, metadata.environment);
  cloud = await startFakeCompute(clock, metadata.token);
  api = googleComputeApi(cloud.endpoint);
});
afterAll(async () => {
  for (const name of Object.keys(metadata.environment)) delete process.env[name];
  await cloud.close();
  await metadata.close();
});
beforeEach(() => {
  cloud.model.reset();
  cloud.forget();
});

/** The library sends maps that hold nothing as well. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([key, one]) => [key, filled(one)] as const);
  return Object.fromEntries(inner.filter(([, one]) => JSON.stringify(one) !== '{}'));
}

async function releaseAll(nodes: NodeProvider): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    if ((await nodes.release(LABEL, SET)).left.length === 0) return;
    clock.advance(MINUTE_MS);
  }
  throw new Error('something never went away');
}

describe('GPU instances', () => {
  it('sends what the plan shows', { tags: ['slow'] }, async () => {
    const nodes = provider({ tier: 'spot', count: 2, hoursMax: 5, labels: { team: 'provers' } });
    const { requests, hosts, accelerators, price } = nodes.plan(SET);
    expect({ hosts, accelerators, perHour: price.perHour }).toEqual({ hosts: 2, accelerators: 16, perHour: 23.51 });
    await nodes.request(SET, 1);
    const sent = cloud.posted.filter(({ url }) => url.includes('/instances'));
    expect(sent.map(({ body }) => filled(body))).toEqual(requests.map(({ body }) => body));
    for (const [index, { url }] of sent.entries()) {
      const planned = new URL(requests[index]!.url);
      const got = new URL(url, 'http://fake');
      expect([got.pathname, got.searchParams.get('requestId')]).toEqual([
        planned.pathname,
        planned.searchParams.get('requestId'),
      ]);
    }
  });

  it('asks for nothing that the API refuses: networks are paths, times and disks such as it has', () => {
    const bodyOf = (values: object) =>
      provider(values).plan(SET).requests[0]!.body as {
        networkInterfaces: [{ subnetwork?: string }];
        scheduling: { maxRunDuration: { seconds: string } };
        disks: [{ initializeParams: { diskType: string } }];
      };
    const named = bodyOf({ subnetwork: 'inside', hoursMax: 8_000 });
    expect(named.networkInterfaces[0].subnetwork).toBe('projects/test-project/regions/us-central1/subnetworks/inside');
    expect(named.scheduling.maxRunDuration.seconds).toBe(String(120 * 86_400));
    expect(named.disks[0].initializeParams.diskType).toMatch(/\/pd-ssd$/);
    const shared = 'projects/network-project/regions/us-central1/subnetworks/inside';
    const ultra = bodyOf({ subnetwork: shared, machineType: 'a3-ultragpu-8g' });
    expect(ultra.networkInterfaces[0].subnetwork).toBe(shared);
    expect(ultra.disks[0].initializeParams.diskType).toMatch(/\/hyperdisk-balanced$/);
  });

  it('are ready when all run, and gone after a release', async () => {
    const nodes = provider({ count: 4 });
    await nodes.request(SET, 1);
    expect(await nodes.state(SET)).toMatchObject({ kind: 'waiting' });
    clock.advance(MINUTE_MS);
    const state = await nodes.state(SET);
    expect(state).toMatchObject({
      kind: 'ready',
      hosts: [0, 1, 2, 3].map((index) => ({
        taskQueue: `host/${NAME}-${index}/0`,
        address: expect.stringMatching(/^10\./),
      })),
    });
    expect(await nodes.request(SET, 2)).toEqual({ kind: 'accepted' });
    expect(cloud.model.instances).toHaveLength(4);
    await releaseAll(nodes);
    expect(cloud.model.live()).toEqual([]);
    expect(await nodes.state(SET)).toEqual({ kind: 'absent' });
  });

  it('say what is short: capacity may come, quota needs a person', async () => {
    const nodes = provider({ count: 3 });
    cloud.model.capacity = 2;
    expect(await nodes.request(SET, 1)).toMatchObject({
      kind: 'no-capacity',
      reason: expect.stringContaining('ZONE_RESOURCE_POOL_EXHAUSTED'),
    });
    expect(await nodes.state(SET)).toEqual({ kind: 'incomplete', reason: '2 of 3 instances are there' });
    cloud.model.capacity = 3;
    // Another asking on purpose: the same request id would only repeat the old answer.
    expect(await nodes.request(SET, 2)).toEqual({ kind: 'accepted' });
    expect(cloud.model.instances).toHaveLength(3);
    await releaseAll(nodes);
    cloud.model.quota = 0;
    await expect(nodes.request(SET, 3)).rejects.toMatchObject({ code: 'STP1602', retryable: false });
  });

  it('are asked for once though the answer is lost, and a repeated call repeats nothing', async () => {
    const nodes = provider();
    cloud.inject(/^POST .*instances$/, { kind: 'lost-answer' });
    await expect(nodes.request(SET, 1)).rejects.toMatchObject({ code: 'STP1603', retryable: true });
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'accepted' });
    cloud.inject(/^POST .*instances$/, { kind: 'twice' });
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'accepted' });
    expect(cloud.model.instances).toHaveLength(1);
  });

  it('that are taken away are lost, and the next asking gets them anew', async () => {
    const nodes = provider({ count: 2, tier: 'spot' });
    await nodes.request(SET, 1);
    clock.advance(MINUTE_MS);
    cloud.model.preempt(`${NAME}-1`);
    expect(await nodes.state(SET)).toMatchObject({ kind: 'lost', reason: `instance ${NAME}-1 is STOPPING` });
    clock.advance(MINUTE_MS);
    expect(await nodes.state(SET)).toMatchObject({ kind: 'incomplete' });
    await nodes.request({ ...SET, generation: 2 }, 1);
    await releaseAll(nodes);
    expect(cloud.model.live()).toEqual([]);
  });

  it('are not taken for those of an earlier run of the name that asked for others', async () => {
    await provider({ count: 3 }).request(SET, 1);
    clock.advance(MINUTE_MS);
    for (const other of [{ count: 2 }, { count: 3, machineType: 'a2-highgpu-1g' }]) {
      const nodes = provider(other);
      await nodes.request(SET, 1);
      expect(await nodes.state(SET)).toMatchObject({ kind: 'lost', reason: expect.stringMatching(/earlier run/) });
    }
    await releaseAll(provider());
  });

  it('go where they can, though one refuses to', async () => {
    const nodes = provider({ count: 3 });
    await nodes.request(SET, 1);
    cloud.inject(/^DELETE .*-0$/, { kind: 'error', error: 'INVALID_ARGUMENT', message: 'is not ready' });
    await expect(nodes.release(LABEL, SET)).rejects.toThrow(/not ready/);
    clock.advance(MINUTE_MS);
    expect(cloud.model.live().map(({ name }) => name)).toEqual([`${NAME}-0`]);
    await releaseAll(nodes);
  });

  it('end by themselves some time after the guard of a run that is gone', async () => {
    await provider({ hoursMax: 2 }).request(SET, 1);
    clock.advance(2 * HOUR_MS);
    expect(cloud.model.live()).toHaveLength(1);
    clock.advance(HOUR_MS);
    cloud.model.settle();
    clock.advance(MINUTE_MS);
    expect(cloud.model.live()).toEqual([]);
  });
});
