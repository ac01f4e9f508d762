/** The compose file without Docker: its form, what it refers to, and its scripts against a real server. About 8 s. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { type DevServer, startDevServer } from '../../../infra/temporal/dev-server.ts';
import { SEARCH_ATTRIBUTES } from '../../../infra/temporal/search-attributes.ts';
import { CONTROL_QUEUE } from '../../../workflows/contracts.ts';
import { temporalCli } from '../../support/temporal.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const lines = (await readFile(join(repository, 'docker-compose.yml'), 'utf8')).split('\n');

/** Lines below a key of two-space YAML, without their common indentation. */
function block(within: readonly string[], key: string): string[] {
  const start = within.findIndex((line) => line === `${key}:` || line.startsWith(`${key}: `) || line === `- ${key}`);
  if (start === -1) throw new Error(`no ${key}`);
  const end = within.findIndex((line, index) => index > start && /^\S/.test(line) && !line.startsWith('#'));
  const body = within.slice(start + 1, end === -1 ? undefined : end).filter((line) => !/^\s*(#|$)/.test(line));
  const indentation = Math.min(...body.map((line) => line.search(/\S/)));
  return body.map((line) => line.slice(indentation));
}

const keys = (within: readonly string[]): string[] =>
  within.flatMap((line) => /^([a-z][a-z-]*):/.exec(line)?.[1] ?? []);

const services = block(lines, 'services');

it('has the form of YAML, and refers only to what there is', () => {
  for (const line of lines) {
    expect(line).not.toContain('\t');
    expect((line.search(/\S|$/) as number) % 2).toBe(0);
    expect(line).toBe(line.trimEnd());
  }
  expect(keys(services)).toEqual(['postgresql', 'temporal', 'search-attributes', 'ui', 'worker']);
  const volumes = keys(block(lines, 'volumes'));
  for (const name of keys(services)) {
    const service = block(services, name);
    const image = service.find((line) => line.startsWith('image: '));
    if (image === undefined) expect(name).toBe('worker');
    else expect(image).toMatch(/^image: [a-z/-]+:\d+\.\d+[.\w-]*$/);
    if (keys(service).includes('depends_on')) {
      for (const other of keys(block(service, 'depends_on'))) expect(keys(services)).toContain(other);
    }
    if (keys(service).includes('volumes')) {
      for (const volume of block(service, 'volumes')) expect(volumes).toContain(/^- ([a-z]+):/.exec(volume)?.[1]);
    }
    // Ports of a server without access control are for this machine alone.
    if (keys(service).includes('ports'))
      for (const port of block(service, 'ports')) expect(port).toContain('"127.0.0.1:');
  }
});

it('builds the worker from files that are there', async () => {
  const build = block(block(services, 'worker'), 'build');
  const dockerfile = /^dockerfile: (.*)$/.exec(build.find((line) => line.startsWith('dockerfile'))!)![1]!;
  const text = await readFile(join(repository, dockerfile), 'utf8');
  expect(existsSync(join(repository, `${dockerfile}.dockerignore`))).toBe(true);
  for (const source of ['package.json', 'package-lock.json']) expect(text).toContain(source);
  const entry = /^CMD \["node", "(.*)"\]$/m.exec(text)![1]!;
  expect(existsSync(join(repository, entry))).toBe(true);
  expect(text).toMatch(/^USER node$/m);
});

let server: DevServer | undefined;
afterAll(async () => {
  await server?.stop();
});

it('registers the search attributes once, and finds a worker that polls', async () => {
  const executable = await temporalCli();
  const dbFilename = join(await mkdtemp(join(tmpdir(), 'stp-compose-')), 'temporal.db');
  server = await startDevServer({ executable, dbFilename, searchAttributes: {} });
  const { address } = server;
  const environment = { TEMPORAL_ADDRESS: address, PATH: `${dirname(executable)}:${process.env.PATH}` };

  const command = block(block(services, 'search-attributes'), 'command').slice(1);
  const script = command
    .map((line) => line.trimStart())
    .join('\n')
    .replaceAll('$$', '$');
  for (const time of ['first', 'again']) {
    const result = await execa('sh', ['-euc', script], { env: environment, reject: false });
    expect([time, result.exitCode, result.stderr]).toEqual([time, 0, '']);
  }
  const connection = await Connection.connect({ address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(Object.keys(SEARCH_ATTRIBUTES)));

  const healthcheck = block(block(services, 'worker'), 'healthcheck')[0]!;
  const [, ...check] = JSON.parse(healthcheck.slice('test: '.length)) as string[];
  expect(check.at(-1)).toBe(CONTROL_QUEUE);
  expect(new URL('../../../infra/docker/worker-health.ts', import.meta.url).pathname).toBe(
    join(repository, check.at(-2)!),
  );
  const health = () => execa(process.execPath, check.slice(1), { cwd: repository, env: environment, reject: false });
  const before = await health();
  expect([before.exitCode, before.stderr]).toEqual([1, `${address}: nobody polls ${CONTROL_QUEUE}`]);
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
  const wrong = await execa(process.execPath, check.slice(1), {
    cwd: repository,
    env: { TEMPORAL_ADDRESS: '127.0.0.1:9' },
    reject: false,
  });
  expect(wrong.exitCode).toBe(1);
});
