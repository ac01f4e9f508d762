/**
 * Runs the commands of the guides. Plans and configurations run unchanged, machines run against a fake of Google's API,
 * updates and queries against a Temporal server with a workflow that has a run's handlers. A command that cannot run
 * here has a reason, and its options are looked up. About 60 s of waiting, since every command is a process.
 */

import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import { Client, Connection } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { NativeConnection, Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { prepareDataActivity } from '../../activities/control/prepare-data.ts';
import type { PreparedData } from '../../activities/run/prepared-data.ts';
import { readInventory } from '../../infra/nodes/inventory.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { type DevServer, startDevServer } from '../../infra/temporal/dev-server.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { repositorySources } from '../../workers/sources.ts';
import { fastClock } from '../fakes/clock.ts';
import { type FakeMetadata, startFakeMetadata } from '../fakes/metadata.ts';
import { type FakeTpu, startFakeTpu } from '../fakes/tpu.ts';
import { temporalCli } from '../support/temporal.ts';
import { blocks, type Command, commands, commandsOf, files, REPOSITORY } from './guides.ts';
import { writeStandIns } from './stand-ins.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const STP = join(REPOSITORY, 'cli', 'main.ts');

/** Beginnings of our commands that are not run here, with the reason. */
const NOT_RUN: readonly (readonly [start: string, why: string])[] = [
  ['bin/stp start', 'starts a run of a fleet; its configuration is resolved by other steps, and test/e2e starts runs'],
  ['bin/stp selfplay', 'wants a GPU; test/e2e starts runs, and packages/config resolves what engines a preset may get'],
  ['bin/stp nodes bundle', 'packs all packages into a bucket; test/infra/bootstrap packs and unpacks them'],
  ['bin/stp nodes up', 'starts workers over ssh; test/infra/nodes does, with a stand-in for ssh'],
  ['bin/stp nodes run', 'as above'],
  ['bin/stp nodes clean', 'as above'],
  ['bin/stp nodes down --inventory', 'as above'],
  ['bin/stp report', 'reads a finished run; test/report does'],
  ['bin/stp summary', 'reads a finished run; test/report does'],
  ['bin/stp weights', 'asks the hub; test/infra/weights does, with a stand-in for the hub'],
  ['bin/stp clean', 'ends processes of this machine; test/infra/nodes does, on processes of its own'],
];

/** Foreign commands that the guides may use. */
const GCLOUD = [
  'config set',
  'services enable',
  'compute networks subnets update',
  'compute routers create',
  'compute routers nats create',
  'compute instances create',
  'compute firewall-rules create',
  'compute ssh',
  'compute tpus queued-resources list',
  'compute tpus tpu-vm ssh',
  'storage buckets create',
  'storage buckets add-iam-policy-binding',
  'storage ls',
  'iam service-accounts create',
  'iam service-accounts add-iam-policy-binding',
  'projects add-iam-policy-binding',
  'secrets versions add',
  'secrets versions disable',
];
const KUBECTL = ['create namespace', 'create secret generic', 'get pods', 'rollout restart'];
const ROLES = [
  'roles/storage.objectAdmin',
  'roles/logging.logWriter',
  'roles/tpu.admin',
  'roles/compute.admin',
  'roles/iam.serviceAccountUser',
];

const whyNotRun = ({ line }: Command): string | undefined => NOT_RUN.find(([start]) => line.startsWith(start))?.[1];
const optionsOf = ({ words }: Command): string[] => {
  const end = words.indexOf('--');
  return (end === -1 ? words : words.slice(0, end)).filter((word) => word.startsWith('--'));
};

const ending = ({ words }: Command): number => (words[2] === 'cancel' ? 1 : 0);

let folder: string;
let metadata: FakeMetadata;
let cloud: FakeTpu;
beforeAll(async () => {
  metadata = await startFakeMetadata();
  cloud = await startFakeTpu(fastClock(60), metadata.token);
  folder = await mkdtemp(join(tmpdir(), 'stp-guides-'));
  for (const { name, text } of files) await writeFile(join(folder, name), text);
});
afterAll(async () => {
  await cloud.close();
  await metadata.close();
});

const stp = (words: readonly string[], environment: Record<string, string> = {}) =>
  execa(process.execPath, [STP, ...words], {
    cwd: folder,
    env: { ...metadata.environment, STP_TPU_ENDPOINT: cloud.endpoint, ...environment },
    reject: false,
  });

describe('commands of ours', () => {
  const ours = commandsOf('bin/stp');

  it('have options that there are', async () => {
    expect(ours.length).toBeGreaterThan(25);
    const nested = ['data', 'nodes', 'lean', 'weights', 'retrieve', 'suggest', 'verifier'];
    const nameOf = ({ words }: Command): string => words.slice(1, nested.includes(words[1]!) ? 3 : 2).join(' ');
    for (const name of new Set(ours.map(nameOf))) {
      const { exitCode, stdout } = await stp([...name.split(' '), '--help']);
      expect([name, exitCode]).toEqual([name, 0]);
      for (const command of ours.filter((one) => nameOf(one) === name))
        for (const option of optionsOf(command))
          expect([command.line, option, stdout.includes(`${option} `) || stdout.includes(`${option},`)]).toEqual([
            command.line,
            option,
            true,
          ]);
    }
  });

  it('that need only themselves run', async () => {
    const open = ours.filter((command) => whyNotRun(command) === undefined);
    const steps = open.filter(({ line }) => /^bin\/stp (?:config|nodes plan)/.test(line));
    expect(steps.length).toBeGreaterThanOrEqual(5);
    for (const { line, words } of steps) {
      const result = await stp(words.slice(1));
      expect([line, result.exitCode, result.stderr]).toEqual([line, 0, '']);
    }
    // With the store and the server of step 3 the configurations are complete for machines.
    for (const config of ['tpu.json', 'gpu.json']) {
      const set = { STP_STORE: 'gs://your-bucket/runs', TEMPORAL_ADDRESS: '10.0.0.2:7233' };
      const planned = JSON.parse((await stp(['nodes', 'plan', '--config', config, '--json'], set)).stdout);
      expect([config, planned.missing]).toEqual([config, []]);
      expect([config, JSON.stringify(planned.requests)]).toEqual([config, expect.stringContaining('stp-nodes@')]);
    }
    const { stdout } = await stp(['nodes', 'plan', '--config', 'tpu.json', '--json']);
    const page = await readFile(join(REPOSITORY, 'docs', 'run-on-tpu.md'), 'utf8');
    const { price, costMax } = JSON.parse(stdout) as { price: { perHour: number }; costMax: number };
    // The guide and the plan give the same cost.
    expect(page).toContain(`${price.perHour.toFixed(2)} USD an hour`);
    expect(page.replaceAll(',', '')).toContain(`${costMax.toFixed(2)} USD`);
  });

  it('about data make every set that the runs of the guides take', async () => {
    const steps = ours.filter(({ line }) => line.startsWith('bin/stp data prepare'));
    const data = join(folder, 'data');
    await writeStandIns(folder);
    for (const { line, words } of steps) {
      const result = await stp(words.slice(1), { STP_DATA: data });
      expect([line, result.exitCode, result.stderr]).toEqual([line, 0, '']);
    }
    // Prepares data like every run of the guides does before it requests machines.
    const store = await openStore(pathToFileURL(join(folder, 'runs')).href);
    const sources = repositorySources(data);
    const { prepareData } = prepareDataActivity({ sources, store: async () => store });
    const presets = ours
      .filter(({ line }) => /^bin\/stp start .*--preset/.test(line))
      .map(({ words }) => words[words.indexOf('--preset') + 1]!);
    expect(new Set(presets)).toEqual(new Set(['stp-paper']));
    const prepare = () => prepareData('first', resolveConfig({ preset: 'stp-paper' }));
    const prepared = (await new MockActivityEnvironment().run(prepare)) as PreparedData;
    expect([prepared.train.count, prepared.heldOut.count]).toEqual([9, 2]);
    expect(prepared.sft.count).toBeGreaterThan(0);
  });

  it('about machines run against a cloud', { tags: ['slow'] }, async () => {
    const steps = ours.filter(
      (command) => whyNotRun(command) === undefined && /^bin\/stp nodes (?:ls|sweep|down)/.test(command.line),
    );
    expect(steps.length).toBeGreaterThanOrEqual(6);
    for (const { line, words } of steps) {
      const force = words[2] === 'sweep' ? ['--force'] : [];
      const result = await stp([...words.slice(1), ...force]);
      expect([line, result.exitCode, result.stderr]).toEqual([line, 0, '']);
    }
  });

  it('that do not run here are few and known', () => {
    const known = /^bin\/stp (?:config|data prepare|nodes (?:plan|ls|sweep|down))/;
    for (const command of ours)
      expect([command.line, known.test(command.line) || whyNotRun(command) !== undefined]).toEqual([
        command.line,
        true,
      ]);
    for (const [start] of NOT_RUN)
      expect([start, ours.some(({ line }) => line.startsWith(start))]).toEqual([start, true]);
  });
});

describe('commands of Temporal', () => {
  let server: DevServer;
  let executable: string;
  beforeAll(async () => {
    executable = await temporalCli();
    const dbFilename = join(await mkdtemp(join(tmpdir(), 'stp-guides-')), 'temporal.db');
    server = await startDevServer({ executable, dbFilename, searchAttributes: SEARCH_ATTRIBUTES });
  });
  afterAll(async () => {
    await server.stop();
  });

  it('are heard by a run', async () => {
    const connection = await NativeConnection.connect({ address: server.address });
    const taskQueue = 'guides';
    const workflowsPath = join(import.meta.dirname, 'waiting-run.ts');
    const worker = await Worker.create({ connection, taskQueue, workflowsPath });
    const clientConnection = await Connection.connect({ address: server.address });
    const client = new Client({ connection: clientConnection });
    await worker.runUntil(async () => {
      for (const workflowId of ['stp/RUN', 'stp/first'])
        await client.workflow.start('waitingRun', { taskQueue, workflowId });
      // A cancelled run accepts no further commands.
      const steps = commandsOf('temporal').toSorted((one, other) => ending(one) - ending(other));
      for (const { line, words } of steps) {
        const env = { TEMPORAL_ADDRESS: server.address };
        const result = await execa(executable, words.slice(1), { env, reject: false });
        expect([line, result.exitCode, result.stderr]).toEqual([line, 0, '']);
        if (words[2] === 'update') expect([line, result.stdout]).toEqual([line, expect.stringContaining('heard')]);
        if (words[2] === 'query') expect([line, result.stdout]).toEqual([line, expect.stringContaining('shardsTotal')]);
      }
      await expect(client.workflow.getHandle('stp/RUN').result()).rejects.toMatchObject({
        cause: { name: 'CancelledFailure' },
      });
      await client.workflow.getHandle('stp/first').terminate();
    });
    await clientConnection.close();
    await connection.close();
  });
});

describe('commands of others', () => {
  it('are those that there are', () => {
    for (const { line, words } of commandsOf('gcloud')) {
      const found = GCLOUD.find((known) => words.slice(1).join(' ').startsWith(`${known} `));
      expect([line, found]).not.toEqual([line, undefined]);
      for (const role of line.match(/roles\/\S+/g) ?? []) expect(ROLES).toContain(role);
      // Options are long, and each value follows its option.
      expect(line.replaceAll(/"[^"]*"/g, '')).not.toMatch(/--\w+=|\s-\w\b/);
    }
    for (const { line, words } of commandsOf('kubectl'))
      expect([line, KUBECTL.some((known) => words.slice(1).join(' ').startsWith(`${known} `))]).toEqual([line, true]);
    const programs = new Set(commands.map(({ words }) => words[0]));
    expect([...programs].sort()).toEqual(
      ['bin/stp', 'df', 'docker', 'export', 'gcloud', 'helm', 'kubectl', 'node', 'npm', 'temporal'].sort(),
    );
  });

  it('of Docker name services, profiles and stages that there are', async () => {
    const file = parse(await readFile(join(REPOSITORY, 'docker-compose.yml'), 'utf8'), { merge: true });
    const profiles = Object.values(file.services as Record<string, { profiles: string[] }>).flatMap(
      (one) => one.profiles,
    );
    for (const { line, words } of commandsOf('docker', 'compose')) {
      const verb = words.findIndex((word) => ['up', 'ps', 'logs', 'down'].includes(word));
      expect([line, verb > 1]).toEqual([line, true]);
      for (const [index, word] of words.entries())
        if (word === '--profile') expect([line, profiles.includes(words[index + 1]!)]).toEqual([line, true]);
      const named = words.slice(verb + 1).filter((word) => /^[a-z][a-z-]*$/.test(word));
      for (const name of named)
        expect([line, Object.keys(file.services)]).toEqual([line, expect.arrayContaining([name])]);
    }
    const dockerfile = await readFile(join(REPOSITORY, 'infra/docker/Dockerfile'), 'utf8');
    for (const { words } of commandsOf('docker', 'build'))
      expect(dockerfile).toMatch(new RegExp(` AS ${words[words.indexOf('--target') + 1]}$`, 'm'));
  });

  it('are given variables that somebody reads', async () => {
    const compose = await readFile(join(REPOSITORY, 'docker-compose.yml'), 'utf8');
    for (const { line, words } of commandsOf('export')) {
      const [name = ''] = words[1]!.split('=');
      const isRead =
        compose.includes(`\${${name}`) || commands.some((other) => other.line.includes(`$${name}`)) || name === 'PATH';
      expect([line, isRead || /^(?:STP|TEMPORAL)_/.test(name)]).toEqual([line, true]);
    }
  });
});

it('shows inventories that are read', async () => {
  const shown = blocks.filter(({ language }) => language === 'yaml');
  expect(shown.length).toBe(2);
  for (const [index, { text }] of shown.entries()) {
    const path = join(folder, `shown-${index}.yaml`);
    await writeFile(path, text);
    expect(readInventory(path).length).toBeGreaterThan(0);
  }
});
