/** The stock Temporal CLI starts a run: `temporal workflow start stp-selfplay --rounds N`. Costs about 15 s. */
import { copyFile, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { environmentWithoutOurBin, temporalExecutable } from '../../cli/run/temporal.ts';
import { type DevServer, startDevServer } from '../../infra/temporal/dev-server.ts';
import { workerSettings } from '../../workers/settings.ts';
import { REPOSITORY } from '../support/stp.ts';

let server: DevServer;
let connection: Connection;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stp-command-'));
  const { executable } = await temporalExecutable(workerSettings(), () => undefined);
  server = await startDevServer({ executable });
  connection = await Connection.connect({ address: server.address });
});
afterAll(async () => {
  await connection?.close();
  await server?.stop();
  await rm(directory, { recursive: true, force: true });
});

const temporal = (...args: string[]) =>
  execa('temporal', ['workflow', 'start', ...args], {
    reject: false,
    all: true,
    env: { PATH: `${join(REPOSITORY, 'bin')}${delimiter}${process.env.PATH}`, TEMPORAL_ADDRESS: server.address },
  });

it('starts a workflow of that type, named after its run, with the input checked', async () => {
  const result = await temporal('stp-selfplay', '--rounds', '2');
  expect(result.all).toContain('stp-selfplay');
  expect(result.exitCode).toBe(0);
  const client = new Client({ connection });
  const found = [];
  // The server's list is a moment behind.
  while (found.length === 0) {
    for await (const workflow of client.workflow.list({ query: "WorkflowType = 'stp-selfplay'" })) found.push(workflow);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(found[0]).toMatchObject({ type: 'stp-selfplay', taskQueue: 'stp' });
  expect(found[0]!.workflowId).toMatch(/^stp\/embedded-\d{8}-\d{6}$/);
  const { events } = await client.workflow.getHandle(found[0]!.workflowId).fetchHistory();
  const input = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!.data!;
  expect(JSON.parse(Buffer.from(input).toString())).toMatchObject({ rounds: 2, preset: 'embedded' });
});

it("passes Temporal's own options through and ours into the input", async () => {
  const result = await temporal(
    'stp-selfplay',
    '--rounds=1',
    '--preset',
    'smoke',
    '--set',
    'sampling.temperature=0.5',
    '-w',
    'stp/mine',
    '-o',
    'json',
  );
  expect(result.exitCode).toBe(0);
  const handle = new Client({ connection }).workflow.getHandle('stp/mine');
  const { events } = await handle.fetchHistory();
  const input = JSON.parse(
    Buffer.from(events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!.data!).toString(),
  );
  expect(input).toMatchObject({ rounds: 1, preset: 'smoke', set: { 'sampling.temperature': 0.5 } });
});

it.each([[['--rounds', '0']], [['--rounds', 'many']], [['--rounds', '1', '--roundz', '2']], [[]]])(
  'refuses %j with exit 2',
  async (args) => {
    const result = await temporal('stp-selfplay', ...args);
    expect(result.exitCode).toBe(2);
  },
);

it('explains itself', async () => {
  const result = await temporal('stp-selfplay', '--help');
  expect(result.all).toContain('--rounds <n>');
  expect(result.exitCode).toBe(0);
});

afterEach(() => vi.unstubAllEnvs());

it('does not find itself, nor that of a copy of this project', async () => {
  const copy = join(directory, 'copy', 'bin');
  const other = join(directory, 'other');
  for (const folder of [copy, other]) await mkdir(folder, { recursive: true });
  await copyFile(join(REPOSITORY, 'bin', 'temporal'), join(copy, 'temporal'));
  await writeFile(join(other, 'temporal'), '#!/bin/sh\n');
  const PATH = [join(REPOSITORY, 'bin'), copy, other, directory, '/nowhere'].join(':');
  expect(environmentWithoutOurBin({ PATH }).PATH).toBe([other, directory, '/nowhere'].join(':'));
});

it('writes where Temporal is once, and says where it cannot', async () => {
  const settings = { ...workerSettings(), cacheDirectory: join(directory, 'cache') };
  const { executable } = await temporalExecutable(workerSettings(), () => undefined);
  vi.stubEnv('STP_TEMPORAL', executable);
  await temporalExecutable(settings, () => undefined);
  const written = join(settings.cacheDirectory, 'temporal', 'executable');
  await utimes(written, 1, 1);
  await temporalExecutable(settings, () => undefined);
  expect((await stat(written)).mtimeMs).toBe(1_000);
  const elsewhere = { ...settings, cacheDirectory: '/dev/null' };
  await expect(temporalExecutable(elsewhere, () => undefined)).rejects.toMatchObject({
    code: 'STP1401',
    message: expect.stringMatching(/^cannot write to \/dev\/null/),
    advice: expect.stringContaining('STP_CACHE'),
  });
});
