/**
 * The compose file without Docker: its form, the existence of everything it names, and its scripts against real
 * servers. If the machine has `docker compose`, also that program's own reading of the file. About 10 s.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { afterAll, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { readLock, readPins } from '../../../infra/bootstrap/script.ts';
import { environmentCommands } from '../../../infra/docker/python-environments.ts';
import { ownHostQueue } from '../../../infra/nodes/names.ts';
import { type DevServer, startDevServer } from '../../../infra/temporal/dev-server.ts';
import { SEARCH_ATTRIBUTES } from '../../../infra/temporal/search-attributes.ts';
import { workerSettings } from '../../../workers/settings.ts';
import { CONTROL_QUEUE, LEAN_QUEUE } from '../../../workflows/control/contracts.ts';
import { temporalCli } from '../../support/temporal.ts';
import { REPOSITORY, readComposeFile, type Service, SOURCE_FOLDERS } from './compose-file.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const file = await readComposeFile();
const services = Object.entries(file.services);
const service = (name: string): Service => {
  const found = file.services[name];
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
};
const dockerfile = readFileSync(join(REPOSITORY, 'infra/docker/Dockerfile'), 'utf8');
const ours = services.filter(([, { build }]) => build !== undefined);
/** Returns a value as it is without environment variables. */
const bare = (value: string): string => value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

const sources = (folder: string): string[] =>
  readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|sh|py)$/.test(name))
    .map((name) => readFileSync(join(REPOSITORY, folder, name), 'utf8'));

it('names only services and volumes that are there, and uses every volume', () => {
  const used = new Set<string>();
  for (const [name, { depends_on = {}, volumes = [], profiles }] of services) {
    for (const other of Object.keys(depends_on)) {
      // A service has every profile of the services that wait for it.
      expect([name, other, service(other).profiles]).toEqual([name, other, expect.arrayContaining(profiles)]);
    }
    for (const [condition, other] of Object.entries(depends_on).map(([other, { condition }]) => [condition, other]))
      if (condition === 'service_healthy') expect([other, service(other!).healthcheck]).not.toEqual([other, undefined]);
    for (const volume of volumes) {
      const [source = '', target] = volume.split(':');
      if (target === undefined) expect(dockerfile).toContain(`"${source}"`);
      else if (source.startsWith('./')) expect([source, existsSync(join(REPOSITORY, source))]).toEqual([source, true]);
      else {
        expect(Object.keys(file.volumes)).toContain(source);
        used.add(source);
      }
    }
  }
  expect([...used].sort()).toEqual(Object.keys(file.volumes).sort());
});

it('watches everything that stays up, and lets nothing keep rights or write where it need not', () => {
  for (const [name, { restart, healthcheck, read_only, user, image, build, security_opt }] of services) {
    expect([name, healthcheck !== undefined]).toEqual([name, restart === 'unless-stopped']);
    // These only write their configuration at start, and their images have their own user.
    if (!/^temporalio\//.test(image)) expect([name, read_only]).toEqual([name, true]);
    if (/^(?:postgres|fsouza)/.test(image)) expect([name, user]).not.toEqual([name, undefined]);
    // Only services that run Lean may make namespaces.
    const unconfined = security_opt.some((option) => option.endsWith('=unconfined'));
    expect([name, unconfined]).toEqual([name, build !== undefined && name !== 'make-bucket']);
  }
  expect(
    dockerfile
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => /^USER (\w+)$(?![\s\S]*^USER)/m.exec(stage)?.[1]),
  ).toEqual(['node', undefined, undefined, 'node']);
});

it('holds no credential', () => {
  const text = readFileSync(join(REPOSITORY, 'docker-compose.yml'), 'utf8');
  for (const line of text.split('\n'))
    if (/(?:PASSWORD|PWD|KEY|TOKEN|SECRET)[A-Z_]*:/.test(line)) expect(line).toMatch(/: \$\{POSTGRES_PASSWORD:\?/);
});

it('builds from files that are there, on a pinned image', () => {
  for (const [, { build }] of ours) {
    expect(existsSync(join(REPOSITORY, build!.dockerfile))).toBe(true);
    expect(dockerfile).toMatch(new RegExp(`^FROM \\S+ AS ${build!.target}$`, 'm'));
  }
  expect(existsSync(join(REPOSITORY, 'infra/docker/Dockerfile.dockerignore'))).toBe(true);
  expect(dockerfile).toMatch(/^FROM node:24\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64} AS worker$/m);
  for (const [, path = ''] of dockerfile.matchAll(/(?:"node",|RUN node) "?([\w/-]+\.ts)/g))
    expect([path, existsSync(join(REPOSITORY, path))]).toEqual([path, true]);
  for (const packed of ['package.json', 'package-lock.json']) expect(dockerfile).toContain(packed);
});

it('has a stage for a try, which runs the commands where runs and caches may be written', () => {
  const [, stage] = /^FROM worker AS try\n([\s\S]*?)\n\n/mu.exec(dockerfile)!;
  const words = JSON.parse(/^ENTRYPOINT (.*)$/mu.exec(stage!)![1]!) as string[];
  const command = words.at(-1)!;
  expect([command, existsSync(join(REPOSITORY, command.replace('/stp/', '')))]).toEqual(['/stp/bin/stp', true]);
  // A run without a name is in the folder `runs` below.
  const folder = /^WORKDIR (\S+)$/mu.exec(stage!)![1]!;
  expect(/^VOLUME (.*)$/mu.exec(dockerfile)![1]).toContain(`"${folder}/runs"`);
  const page = readFileSync(join(REPOSITORY, 'docs/commands.md'), 'utf8');
  for (const option of services.find(([name]) => name === 'host')![1].security_opt.slice(1))
    expect(page).toContain(`--security-opt ${option.replace(':', '=')}`);
});

it('runs programs that the image has, with settings that somebody reads', () => {
  const code = SOURCE_FOLDERS.flatMap(sources).join('\n');
  const ignored = readFileSync(join(REPOSITORY, 'infra/docker/Dockerfile.dockerignore'), 'utf8').split('\n');
  for (const [name, { command, healthcheck, environment = {} }] of ours) {
    for (const words of [command, healthcheck?.test.slice(1)]) {
      if (words === undefined) continue;
      expect([name, words[0]]).toEqual([name, 'node']);
      if (words[1] === '-e') continue;
      expect([name, words[1], existsSync(join(REPOSITORY, words[1]!))]).toEqual([name, words[1], true]);
      expect(ignored).not.toContain(words[1]!.split('/')[0]);
    }
    for (const variable of Object.keys(environment)) {
      if (variable.startsWith('TEMPORAL_')) continue;
      expect([name, variable, code.includes(`environment.${variable}`) || code.includes(`env.${variable}`)]).toEqual([
        name,
        variable,
        true,
      ]);
    }
    const settings = workerSettings(
      Object.fromEntries(Object.entries(environment).map(([variable, value]) => [variable, bare(value)])),
    );
    if (environment.STP_METRICS_ADDRESS !== undefined) expect(settings.metricsAddress).toBe('0.0.0.0:9464');
    expect(settings.leanServers).toBeNull();
  }
  for (const [, variable = ''] of dockerfile.matchAll(/^\s+(STP_\w+)=/gm))
    expect([variable, code.includes(`environment.${variable}`)]).toEqual([variable, true]);
});

it('asks for the queues that the workers poll, and gives runs the machine that works', () => {
  const queueOf = (name: string): string => ownHostQueue(service(name).environment);
  const checked = (name: string): string => service(name).healthcheck!.test.at(-1)!;
  expect(checked('control')).toBe(CONTROL_QUEUE);
  expect(checked('host')).toBe(queueOf('host'));
  expect(checked('lean')).toBe(LEAN_QUEUE);
  expect(checked('gpu')).toBe(queueOf('gpu'));
  // The control worker names a run's machine, the host. No other worker may poll its queue.
  expect(queueOf('control')).toBe(queueOf('host'));
  expect(service('lean').environment?.STP_HOST_QUEUE).toBeUndefined();
});

it('has Lean served on the port that is published and looked at', async () => {
  const { command = [], ports, healthcheck } = service('lean-service');
  const port = command[command.indexOf('--port') + 1];
  expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(healthcheck!.test.join(' ')).toContain(`http://127.0.0.1:${port}/health`);
  const { stdout } = await execa(process.execPath, [...command.slice(1, 4), '--help'], { cwd: REPOSITORY });
  for (const option of command.filter((word) => word.startsWith('--'))) expect(stdout).toContain(option);
});

it('makes the pinned Python environments in the image of GPU workers', () => {
  const commands = environmentCommands('gpu').join('\n');
  const { environments, python } = readPins();
  expect(commands).toContain(`uv==${python.uv}`);
  for (const [name, { kinds }] of Object.entries(environments))
    for (const requirement of readLock(name))
      expect([requirement, commands.includes(`/venv/${name}/bin/python`) && commands.includes(requirement)]).toEqual([
        requirement,
        kinds.includes('gpu'),
      ]);
  expect(dockerfile).toMatch(/PATH=\/opt\/stp\/venv\/vllm\/bin:/);
});

it('has Prometheus read ports that services listen on', () => {
  const read = parse(readFileSync(join(REPOSITORY, 'infra/prometheus/prometheus.yml'), 'utf8'));
  const listening = (name: string): string[] => {
    const { environment = {}, ports = [] } = service(name);
    const addresses = [environment.STP_METRICS_ADDRESS, environment.PROMETHEUS_ENDPOINT, ...ports];
    return addresses.flatMap((address) => address?.split(':').at(-1) ?? []);
  };
  const targets = read.scrape_configs.flatMap(
    (job: { static_configs?: { targets: string[] }[]; dns_sd_configs?: { names: string[]; port: number }[] }) => [
      ...(job.static_configs ?? []).flatMap((group) => group.targets),
      ...(job.dns_sd_configs ?? []).flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    ],
  ) as string[];
  expect(targets.length).toBeGreaterThanOrEqual(6);
  for (const target of targets) {
    const [name = '', port] = target.split(':');
    expect([target, listening(name)]).toEqual([target, expect.arrayContaining([port])]);
  }
});

it('makes the bucket once', async () => {
  const names: string[] = [];
  const bucketServer = createServer(async (request, response) => {
    const { name } = JSON.parse((await request.toArray()).join('')) as { name: string };
    const isThere = names.includes(name);
    if (request.method === 'POST' && request.url === '/storage/v1/b?project=local') names.push(name);
    response.writeHead(isThere ? 409 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ name }));
  });
  await new Promise<void>((resolve) => bucketServer.listen(0, '127.0.0.1', resolve));
  const STP_GCS_ENDPOINT = `http://127.0.0.1:${(bucketServer.address() as AddressInfo).port}`;
  const [, ...words] = service('make-bucket').command!;
  const make = () => execa(process.execPath, words, { cwd: REPOSITORY, env: { STP_GCS_ENDPOINT }, reject: false });
  for (const time of ['first', 'again']) {
    const { exitCode, stdout, stderr } = await make();
    expect([time, exitCode, stdout, stderr]).toEqual([time, 0, 'gs://stp is there', '']);
  }
  expect(names).toEqual(['stp', 'stp']);
  await new Promise((resolve) => bucketServer.close(resolve));
  expect(await make()).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^bucket stp: /) });
});

const compose = await execa('docker', ['compose', 'version'], { reject: false });
it.skipIf(compose.exitCode !== 0)('is read by docker compose', async () => {
  const options = { cwd: REPOSITORY, env: { POSTGRES_PASSWORD: 'x' } };
  const { stdout } = await execa('docker', ['compose', '--profile', '*', 'config', '--services'], options);
  expect(stdout.split('\n').sort()).toEqual(Object.keys(file.services).sort());
});

let server: DevServer | undefined;
afterAll(async () => {
  await server?.stop();
});

it('registers the search attributes once, and finds a worker that polls', { tags: ['slow'] }, async () => {
  const executable = await temporalCli();
  const dbFilename = join(await mkdtemp(join(tmpdir(), 'stp-compose-')), 'temporal.db');
  server = await startDevServer({ executable, dbFilename, searchAttributes: {} });
  const { address } = server;
  const environment = { TEMPORAL_ADDRESS: address, PATH: `${dirname(executable)}:${process.env.PATH}` };

  const [script = ''] = service('search-attributes').command!;
  for (const time of ['first', 'again']) {
    const result = await execa('sh', ['-euc', script.replaceAll('$$', '$')], { env: environment, reject: false });
    expect([time, result.exitCode, result.stderr]).toEqual([time, 0, '']);
  }
  const connection = await Connection.connect({ address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));

  const [, , ...check] = service('control').healthcheck!.test;
  const health = () => execa(process.execPath, check, { cwd: REPOSITORY, env: environment, reject: false });
  const before = await health();
  expect([before.exitCode, before.stderr]).toEqual([1, `${address}: no worker polls ${CONTROL_QUEUE}`]);
  const native = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    taskQueue: CONTROL_QUEUE,
    connection: native,
    activities: { async nothing() {} },
  });
  await worker.runUntil(async () => {
    await expect.poll(async () => (await health()).exitCode, { timeout: 60_000, interval: 200 }).toBe(0);
  });
  await native.close();
  await connection.close();
  const wrong = await execa(process.execPath, check, {
    cwd: REPOSITORY,
    env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
    reject: false,
  });
  expect(wrong.exitCode).toBe(1);
});
