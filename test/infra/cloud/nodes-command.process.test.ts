/**
 * Tests `bin/stp nodes` through the fake APIs: plans without credentials; machines requested, listed, released and
 * swept. Costs about 40 s: every command is a process, and waits as usual.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makePlan } from '../../../cli/nodes/plan.ts';
import { fastClock } from '../../fakes/clock.ts';
import { type FakeMetadata, startFakeMetadata } from '../../fakes/metadata.ts';
import { type FakeTpu, startFakeTpu } from '../../fakes/tpu.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const MAIN = join(import.meta.dirname, '../../../cli/main.ts');
const TPU = ['--project', 'test-project', '--zone', 'us-central2-b', '--accelerator', 'v4-16'];
const HOUR_MS = 3_600_000;
const BUNDLE = [
  '--set',
  'nodes.bundle=gs://bucket/bundles/worker.tar.gz',
  '--set',
  `nodes.bundleSha256=${'0'.repeat(64)}`,
];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let metadata: FakeMetadata;
let cloud: FakeTpu;
let folder: string;
const clock = fastClock(60);

beforeAll(async () => {
  metadata = await startFakeMetadata();
  cloud = await startFakeTpu(clock, metadata.token);
  folder = await mkdtemp(join(tmpdir(), 'stp-nodes-'));
});
afterAll(async () => {
  await cloud.close();
  await metadata.close();
  await rm(folder, { recursive: true, force: true });
});

/** The environment has no credentials except those of the metadata server. */
async function nodes(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = {
    PATH: process.env.PATH!,
    HOME: folder,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...metadata.environment,
    STP_TPU_ENDPOINT: cloud.endpoint,
    STP_STORE: 'gs://bucket/runs',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    ...environment,
  };
  const command = promisify(execFile)(process.execPath, [MAIN, 'nodes', ...args], { env, maxBuffer: 10_000_000 });
  return command.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

describe('bin/stp nodes', () => {
  it('plans without project, credentials or network: requests, hosts and price', async () => {
    const asked = cloud.requests.length;
    const { code, stdout } = await nodes(['plan', '--accelerator', 'v4-256', '--zone', 'us-central2-b', '--dry-run'], {
      GCE_METADATA_HOST: '127.0.0.1:1',
      STP_STORE: '',
    });
    expect(code).toBe(0);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({ hosts: 32, accelerators: 128, price: { perHour: 412.16 }, costMax: 9891.84 });
    expect(plan.requests[0].url).toMatch(
      /^https:\/\/tpu\.googleapis\.com\/v2\/projects\/your-project\/locations\/us-central2-b\/queuedResources\?queuedResourceId=stp-by-hand-/,
    );
    expect(plan.requests[0].body.tpu.nodeSpec[0].node).toMatchObject({
      acceleratorType: 'v4-256',
      runtimeVersion: 'tpu-ubuntu2204-base',
      metadata: { 'startup-script': expect.stringContaining('#!/bin/bash') },
    });
    expect(plan.missing.join()).toMatch(/project.*store.*bundle/);
    expect(cloud.requests.length).toBe(asked);
  });

  it.each([
    [{ accelerator: 'v9-8', zone: 'us-central2-b' }, /v9-8 is not known.*v4-/],
    [{ accelerator: 'v4-8', machineType: 'a2-highgpu-1g' }, /several kinds/],
    [{}, /no machines are named/],
    [{ accelerator: 'v4-8', zone: 'somewhere' }, /no zone such as/],
    [{ set: { 'nodes.provider': 'tpu', 'nodes.zonee': 'x' } }, /did you mean nodes\.zone/],
    [{ accelerator: 'v4-8', zone: 'us-central2-b', spot: true, reserved: 'ours' }, /exclude each other/],
    [{ inventory: '/nowhere/hosts.json' }, /inventory \/nowhere\/hosts\.json/],
  ])('says what is wrong with %j', (options, message) => {
    expect(() => makePlan({ run: 'by-hand', preset: 'embedded', ...options })).toThrow(message);
  });

  it.each([
    [
      { accelerator: 'v5e-16', zone: 'us-west4-a' },
      { hosts: 4, accelerators: 16, perHour: 19.2 },
    ],
    [
      { accelerator: 'v5p-128', zone: 'us-east5-a', slices: '2' },
      { hosts: 32, accelerators: 128, perHour: 537.6 },
    ],
    [
      { accelerator: 'v6e-8', zone: 'us-east5-b', spot: true },
      { hosts: 1, accelerators: 8, perHour: 8.64 },
    ],
    [
      { machineType: 'a3-highgpu-8g', zone: 'us-central1-a', count: '2' },
      { hosts: 2, accelerators: 16, perHour: 176.98 },
    ],
    [
      { machineType: 'a3-megagpu-8g', zone: 'us-central1-a' },
      { hosts: 1, accelerators: 8, perHour: null },
    ],
    [
      {
        accelerator: 'v9-8',
        zone: 'us-central2-b',
        set: { 'nodes.hosts': '2', 'nodes.chips': '8', 'nodes.runtimeVersion': 'new', 'nodes.pricePerHour': '12.5' },
      },
      { hosts: 2, accelerators: 8, perHour: 12.5 },
    ],
  ])('knows hosts, chips and price of %j', (options, expected) => {
    const { hosts, accelerators, price } = makePlan({ run: 'by-hand', preset: 'embedded', ...options });
    expect({ hosts, accelerators, perHour: price.perHour }).toEqual(expected);
  });

  it('ends with 2 where it cannot be started', async () => {
    const { code, stderr } = await nodes(['up', '--accelerator', 'v4-8', '--zone', 'us-central2-b']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no project is named')]);
  });

  it('refuses machines that could not find bundle, store or server', async () => {
    const bare = await nodes(['up', ...TPU]);
    expect([bare.code, bare.stderr]).toEqual([1, expect.stringMatching(/STP1602.*nodes\.bundle/s)]);
    expect(cloud.model.requests.size).toBe(0);
  });

  it('gets machines, lists them, sweeps only what is old, and gives them back', { tags: ['slow'] }, async () => {
    const config = join(folder, 'nodes.json');
    await writeFile(config, JSON.stringify({ nodes: { labels: { team: 'provers' } } }));
    const up = await nodes(['up', ...TPU, ...BUNDLE, '--run', 'one', '--config', config, '--json']);
    expect(up.stderr).toMatch(/25\.76 USD an hour/);
    expect(JSON.parse(up.stdout)).toEqual([
      expect.objectContaining({ taskQueue: expect.stringMatching(/^host\/stp-one-[0-9a-f-]+-g1\/0$/) }),
      expect.objectContaining({ taskQueue: expect.stringMatching(/\/1$/) }),
    ]);
    expect(cloud.model.nodes[0]!.body.labels).toMatchObject({ team: 'provers' });

    const listed = await nodes(['ls', ...TPU, '--all']);
    expect(listed.stdout).toMatch(/queued resource +stp-one-\S+ +ACTIVE/);
    // Without a Temporal server the command sweeps nothing, because it cannot know which runs are open.
    const unasked = await nodes(['sweep', ...TPU, '--older-than', '0'], { TEMPORAL_ADDRESS: '127.0.0.1:1' });
    expect([unasked.code, unasked.stderr]).toEqual([1, expect.stringMatching(/STP1101.*--force/s)]);
    const young = await nodes(['sweep', ...TPU, '--force']);
    expect([young.stdout, cloud.model.billed().length]).toEqual(['nothing\n', 1]);

    const elsewhere = await nodes(['down', ...TPU, '--run', 'one'], { STP_STORE: 'gs://another/runs' });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      1,
      expect.stringMatching(/in another store has: .*stp-one-.*STP_STORE/s),
    ]);
    expect(cloud.model.billed()).toHaveLength(1);

    cloud.inject(/^DELETE /, { kind: 'error', error: 'UNAVAILABLE' });
    const down = await nodes(['down', ...TPU, '--run', 'one', '--json']);
    expect(JSON.parse(down.stdout)).toEqual({ run: 'one', left: [] });
    expect(cloud.model.billed()).toEqual([]);
  });

  it('sweeps what an older run has left', { tags: ['slow'] }, async () => {
    const name = 'stp-gone-00000000-11111111';
    const parent = 'projects/test-project/locations/us-central2-b';
    const node = { acceleratorType: 'v4-8', runtimeVersion: 'tpu-ubuntu2204-base', labels: { 'stp-run': name } };
    cloud.model.create(parent, `${name}-g3`, { tpu: { nodeSpec: [{ parent, nodeId: `${name}-g3`, node }] } });
    cloud.model.hasCapacity = () => false;
    // The model's clock is ahead of the command's, so the request seems to lie in the past.
    const [request] = cloud.model.requests.values();
    Object.assign(request!, { createdAtMs: Date.now() - 30 * HOUR_MS });
    const dry = await nodes(['sweep', ...TPU, '--force', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(name)]);
    expect(cloud.model.requests.size).toBe(1);
    const swept = await nodes(['sweep', ...TPU, '--force', '--json']);
    expect(JSON.parse(swept.stdout)).toMatchObject([{ runLabel: name }]);
    expect(cloud.model.requests.size).toBe(0);
  });
});
