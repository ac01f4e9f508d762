/**
 * Tests TPU slices through the official client over loopback: requests, the meaning of the API's states, faults in
 * transit, and a complete release. Costs about 6 s, most of it loading the client.
 */

import { nodesConfigSchema, type TpuConfig } from '@stp/config';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TpuApi } from '../../../infra/cloud/tpu/api.ts';
import { googleTpuApi } from '../../../infra/cloud/tpu/google-api.ts';
import { tpuProvider } from '../../../infra/cloud/tpu/provider.ts';
import { runLabel } from '../../../infra/nodes/names.ts';
import type { NodeProvider } from '../../../infra/nodes/provider.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { type FakeMetadata, startFakeMetadata } from '../../fakes/metadata.ts';
import { type FakeTpu, startFakeTpu } from '../../fakes/tpu.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const RUN = 'first_Run.1-abcdef12';
const SET = { run: RUN, generation: 1 };
const PARENT = 'projects/test-project/locations/us-central2-b';
const MINUTE_MS = 60_000;
const clock = fakeClock();
let metadata: FakeMetadata;
let cloud: FakeTpu;
let api: TpuApi;

const config = (values: object = {}): TpuConfig =>
  nodesConfigSchema.parse({
    provider: 'tpu',
    project: 'test-project',
    zone: 'us-central2-b',
    accelerator: 'v4-16',
    ...values,
  }) as TpuConfig;
const provider = (values: object = {}): NodeProvider =>
  tpuProvider(config(values), api, () => ({
    'startup-script': '#!/bin/sh\n',
    'stp-kind': 'tpu',
  }));

beforeAll(async () => {
  metadata = await startFakeMetadata();
  Object.assign(process.env, metadata.environment);
  cloud = await startFakeTpu(clock, metadata.token);
  api = googleTpuApi(cloud.endpoint);
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

/** Releases until nothing is left; the clock moves between. */
async function releaseAll(nodes: NodeProvider): Promise<number> {
  for (let turn = 1; turn <= 10; turn += 1) {
    if ((await nodes.release(runLabel(RUN), SET)).left.length === 0) return turn;
    clock.advance(30_000);
  }
  throw new Error('something never went away');
}

describe('TPU slices', () => {
  it('sends what the plan shows, with the credentials of the machine', async () => {
    const nodes = provider({ accelerator: 'v4-256', tier: 'spot', labels: { team: 'provers' }, subnetwork: 'inside' });
    const { requests, hosts, accelerators, price } = nodes.plan(SET);
    expect({ hosts, accelerators, perHour: price.perHour }).toEqual({ hosts: 32, accelerators: 128, perHour: 164.86 });
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'accepted' });
    const [sent] = cloud.posted;
    expect(sent!.body).toEqual(requests[0]!.body);
    const planned = new URL(requests[0]!.url);
    const url = new URL(sent!.url, 'http://fake');
    expect(url.pathname).toBe(planned.pathname);
    for (const key of ['queuedResourceId', 'requestId'])
      expect(url.searchParams.get(key)).toBe(planned.searchParams.get(key));
  });

  it('waits for capacity, is ready with a queue for every host in order, and asks for nothing twice', async () => {
    const nodes = provider();
    cloud.model.hasCapacity = () => false;
    await nodes.request(SET, 1);
    clock.advance(MINUTE_MS);
    expect(await nodes.state(SET)).toEqual({
      kind: 'waiting',
      reason: 'the queued resource is WAITING_FOR_RESOURCES',
    });
    expect(await nodes.request(SET, 2)).toEqual({ kind: 'accepted' });
    cloud.model.hasCapacity = () => true;
    clock.advance(MINUTE_MS);
    expect((await nodes.state(SET)).kind).toBe('waiting');
    clock.advance(2 * MINUTE_MS);
    const name = `${runLabel(RUN)}-g1`;
    expect(await nodes.state(SET)).toEqual({
      kind: 'ready',
      hosts: [0, 1].map((host) => ({
        name: `${name}/${host}`,
        taskQueue: `host/${name}/${host}`,
        address: cloud.model.nodes[0]!.addresses[host],
      })),
    });
    expect(cloud.model.nodes).toHaveLength(1);
    await releaseAll(nodes);
    expect(cloud.model.billed()).toEqual([]);
    expect(await nodes.list(null)).toEqual([]);
    expect(await nodes.state(SET)).toEqual({ kind: 'absent' });
  });

  it('takes nothing for its own that an earlier run of the name has left and that is not what it asks for', async () => {
    await provider({ accelerator: 'v4-64' }).request(SET, 1);
    clock.advance(MINUTE_MS);
    const nodes = provider();
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'accepted' });
    expect(await nodes.state(SET)).toMatchObject({ kind: 'lost', reason: expect.stringMatching(/v4-64, not v4-16/) });
    expect(await provider({ accelerator: 'v4-64', slices: 2 }).state(SET)).toMatchObject({ kind: 'lost' });
    await releaseAll(nodes);
  });

  it('asks for several slices at once', async () => {
    const nodes = provider({ slices: 3 });
    await nodes.request(SET, 1);
    await nodes.state(SET);
    clock.advance(MINUTE_MS);
    await nodes.state(SET);
    clock.advance(MINUTE_MS);
    const state = await nodes.state(SET);
    if (state.kind !== 'ready') throw new Error(state.kind);
    const name = `${runLabel(RUN)}-g1`;
    expect(state.hosts.map((host) => host.taskQueue)).toEqual(
      [0, 1, 2].flatMap((slice) => [0, 1].map((host) => `host/${name}-${slice}/${host}`)),
    );
    // Three pages of two: listing goes through all of them.
    expect(await nodes.list(runLabel(RUN))).toHaveLength(4);
    await releaseAll(nodes);
    expect(cloud.model.liveNodes()).toEqual([]);
  });

  it('knows a slice that was taken away, and gets another under the next name', async () => {
    const nodes = provider({ tier: 'spot' });
    await nodes.request(SET, 1);
    for (let step = 0; step < 3; step += 1) {
      clock.advance(MINUTE_MS);
      await nodes.state(SET);
    }
    expect((await nodes.state(SET)).kind).toBe('ready');
    cloud.model.preempt(`${PARENT}/queuedResources/${runLabel(RUN)}-g1`);
    expect(await nodes.state(SET)).toMatchObject({ kind: 'lost' });
    clock.advance(MINUTE_MS);
    expect(await nodes.state(SET)).toEqual({ kind: 'lost', reason: 'the queued resource is SUSPENDED' });
    await nodes.request({ ...SET, generation: 2 }, 1);
    await releaseAll(nodes);
    expect(cloud.model.requests.size).toBe(0);
  });

  it('tells quota, capacity, expiry and too many calls apart', async () => {
    const nodes = provider();
    cloud.model.quota = () => false;
    await expect(nodes.request(SET, 1)).rejects.toMatchObject({ code: 'STP1602', retryable: false });
    cloud.model.quota = () => true;
    const create = /^POST .*queuedResources/;
    const limited = "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'";
    cloud.inject(create, { kind: 'error', error: 'RESOURCE_EXHAUSTED', message: limited });
    await expect(nodes.request(SET, 1)).rejects.toMatchObject({ code: 'STP1603', retryable: true });
    const full = 'There is no more capacity in the zone "us-central2-b"; you can try in another zone';
    cloud.inject(create, { kind: 'error', error: 'RESOURCE_EXHAUSTED', message: full });
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'no-capacity', reason: expect.stringContaining(full) });
    cloud.inject(create, { kind: 'error', error: 'PERMISSION_DENIED' });
    await expect(nodes.request(SET, 1)).rejects.toMatchObject({ code: 'STP1603', retryable: false });

    cloud.model.hasCapacity = () => false;
    const brief = provider({ validUntilMinutes: 5 });
    await brief.request(SET, 2);
    clock.advance(6 * MINUTE_MS);
    expect(await brief.state(SET)).toMatchObject({ kind: 'failed', again: true });
  });

  it.each([
    ['refused before', { kind: 'error', error: 'UNAVAILABLE' }],
    ['lost on the way', { kind: 'lost-request' }],
    ['answered with an error after the effect', { kind: 'error-after', error: 'INTERNAL' }],
    ['answered into nothing', { kind: 'lost-answer' }],
  ] as const)('asks for one thing, and gives it back, though a call is %s', async (_, fault) => {
    const nodes = provider();
    cloud.inject(/^POST .*queuedResources/, fault);
    await expect(nodes.request(SET, 1)).rejects.toMatchObject({ code: 'STP1603', retryable: true });
    expect(await nodes.request(SET, 1)).toEqual({ kind: 'accepted' });
    expect(cloud.model.requests.size).toBe(1);
    clock.advance(MINUTE_MS);
    await nodes.state(SET);
    cloud.inject(/^DELETE /, fault);
    await expect(nodes.release(runLabel(RUN), SET)).rejects.toMatchObject({ retryable: true });
    await releaseAll(nodes);
    expect(cloud.model.requests.size).toBe(0);
    expect(cloud.model.liveNodes()).toEqual([]);
  });

  it('gives back what can go, where something refuses to', async () => {
    const nodes = provider();
    await nodes.request(SET, 1);
    await nodes.request({ ...SET, generation: 2 }, 1);
    cloud.inject(/^DELETE .*-g1$/, { kind: 'error', error: 'FAILED_PRECONDITION', message: 'is PROVISIONING' });
    await expect(nodes.release(runLabel(RUN), SET)).rejects.toThrow(/-g1: .*PROVISIONING/);
    expect([...cloud.model.requests.values()].map(({ state }) => state)).toEqual(['CREATING', 'DELETING']);
    await releaseAll(nodes);
  });

  it.each([
    ['POST', (nodes: NodeProvider) => nodes.request(SET, 1)],
    ['GET', (nodes: NodeProvider) => nodes.state(SET)],
    ['GET', (nodes: NodeProvider) => nodes.list(null)],
    ['DELETE', (nodes: NodeProvider) => nodes.release(runLabel(RUN), SET)],
  ] as const)('waits for no answer that never comes (%s)', async (method, work) => {
    const impatient = tpuProvider(config(), googleTpuApi(cloud.endpoint, 500), () => ({}));
    if (method !== 'POST') await provider().request(SET, 1);
    // The first call makes the client and gets a token, which may take longer than a call has.
    await impatient.state({ ...SET, generation: 9 }).catch(() => undefined);
    cloud.inject(new RegExp(`^${method} `), { kind: 'silence' });
    await expect(work(impatient)).rejects.toMatchObject({ code: 'STP1603', retryable: true });
  });

  it('leaves alone what belongs to others, and gives back a node that stands alone', async () => {
    const nodes = provider();
    const mine = `${PARENT}/queuedResources/${runLabel(RUN)}-g1`;
    const labels = { 'stp-run': 'stp-other-00000000' };
    const node = { acceleratorType: 'v4-8', runtimeVersion: 'tpu-ubuntu2204-base' };
    const spec = (nodeId: string, own: Record<string, string>) => ({
      tpu: { nodeSpec: [{ parent: PARENT, nodeId, node: { ...node, labels: own } }] },
    });
    cloud.model.create(PARENT, 'stp-other-00000000-g1', spec('stp-other-00000000-g1', labels));
    cloud.model.create(PARENT, 'somebody', spec('somebody', {}));
    cloud.model.create(PARENT, 'orphans', spec('orphan', { 'stp-run': runLabel(RUN) }));
    await nodes.request(SET, 1);
    for (let step = 0; step < 3; step += 1) {
      clock.advance(MINUTE_MS);
      await nodes.state(SET);
    }
    cloud.model.requests.delete(`${PARENT}/queuedResources/orphans`);
    expect(cloud.model.requests.has(mine)).toBe(true);
    await releaseAll(nodes);
    expect(
      cloud.model
        .liveNodes()
        .map((one) => one.name.split('/').at(-1))
        .sort(),
    ).toEqual(['somebody', 'stp-other-00000000-g1']);
  });

  it('refuses a name that another run has', async () => {
    const id = `${runLabel(RUN)}-g1`;
    const node = { acceleratorType: 'v4-8', runtimeVersion: 'tpu-ubuntu2204-base', labels: { 'stp-run': 'another' } };
    cloud.model.create(PARENT, id, { tpu: { nodeSpec: [{ parent: PARENT, nodeId: id, node }] } });
    await expect(provider().request(SET, 1)).rejects.toMatchObject({
      code: 'STP1602',
      message: expect.stringContaining('another'),
    });
  });
});
