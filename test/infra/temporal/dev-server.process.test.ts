/** The real dev server: started, killed, started again. About 20 s. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { identify, isRunning, RUN_MARK } from '@stp/base/files';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { afterEach, expect, it } from 'vitest';
import { type DevServer, type DevServerOptions, startDevServer } from '../../../infra/temporal/dev-server.ts';
import { isPortFree } from '../../../infra/temporal/ports.ts';
import { freePort } from '../../support/ports.ts';
import { temporalCli } from '../../support/temporal.ts';
import { writeProgram } from './packages.ts';

const executable = await temporalCli();
const servers: DevServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(options: Omit<DevServerOptions, 'executable'>): Promise<DevServer> {
  const server = await startDevServer({ executable, ...options });
  servers.push(server);
  return server;
}

async function newDatabase(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'stp-temporal-')), 'made', 'temporal.db');
}

async function withClient<T>({ address }: { address: string }, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await use(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

it('is ready when it says so, with our search attributes and its UI, and is gone after stop', async () => {
  process.env.STP_TEST_SECRET = 'not for children';
  const dbFilename = await newDatabase();
  // Ports that no other test takes: that they are free at the end is this server's doing.
  const port = await freePort(2);
  const server = await start({ dbFilename, port, uiPort: port + 1, runMark: 'dev-server-test' });
  const typedSearchAttributes = new TypedSearchAttributes([
    { key: defineSearchAttributeKey('StpRun', 'KEYWORD'), value: 'run-1' },
    { key: defineSearchAttributeKey('StpRound', 'INT'), value: 3 },
    { key: defineSearchAttributeKey('StpStage', 'KEYWORD'), value: 'verify' },
    { key: defineSearchAttributeKey('StpModel', 'KEYWORD'), value: 'abc' },
    { key: defineSearchAttributeKey('StpPassRate', 'DOUBLE'), value: 0.25 },
  ]);
  const description = await withClient(server, async (client) => {
    const options = { taskQueue: 'nobody', workflowId: 'first', typedSearchAttributes };
    const handle = await client.workflow.start('anything', options);
    return handle.describe();
  });
  expect(description.typedSearchAttributes.get(defineSearchAttributeKey('StpPassRate', 'DOUBLE'))).toBe(0.25);
  expect((await fetch(server.uiUrl)).status).toBe(200);

  const environment = (await readFile(`/proc/${server.pid}/environ`, 'utf8')).split('\0');
  expect(environment).toContain(`${RUN_MARK}=dev-server-test`);
  expect(environment.join()).not.toContain('not for children');

  const identity = await identify(server.pid);
  await Promise.all([server.stop(), server.stop()]);
  expect(await isRunning(identity)).toBe(false);
  expect([await isPortFree(port), await isPortFree(port + 1)]).toEqual([true, true]);
  expect(existsSync(`${dbFilename}.server.json`)).toBe(false);
});

it('reports its crash, and has the history when it is started again on the same file', async () => {
  const dbFilename = await newDatabase();
  const port = await freePort(2);
  const ports = { port, uiPort: port + 1 };
  let crashed: (error: StpError) => void = () => {};
  const crash = new Promise<StpError>((resolve) => {
    crashed = resolve;
  });
  const before = await start({ dbFilename, ...ports, onCrash: (error) => crashed(error) });
  expect(before.address).toBe(`127.0.0.1:${ports.port}`);
  const runId = await withClient(before, async (client) => {
    const handle = await client.workflow.start('anything', {
      taskQueue: 'nobody',
      workflowId: 'kept',
      args: [{ n: 1 }],
    });
    return handle.firstExecutionRunId;
  });
  process.kill(before.pid, 'SIGKILL');
  expect(await crash).toMatchObject({ code: 'STP1101', message: expect.stringContaining('SIGKILL'), retryable: true });
  await before.stop();

  const after = await start({ dbFilename, ...ports, onCrash: (error) => crashed(error) });
  const found = await withClient(after, async (client) => {
    const handle = client.workflow.getHandle('kept');
    return { description: await handle.describe(), history: await handle.fetchHistory() };
  });
  expect(found.description).toMatchObject({ runId, type: 'anything', status: { name: 'RUNNING' } });
  expect(found.history.events?.length).toBeGreaterThanOrEqual(2);
});

it('refuses a given port that is taken and names the holder, and else takes another by itself', async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as { port: number };
  const dbFilename = await newDatabase();
  for (const given of [{ port }, { uiPort: port }]) {
    const error = await startDevServer({ executable, dbFilename, ...given }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'STP1102', facts: { port, pid: process.pid } });
    expect((error as StpError).message).toContain(`port ${port}`);
    expect((error as StpError).message).toContain(`process ${process.pid}`);
  }
  expect(existsSync(`${dbFilename}.server.json`)).toBe(false);
  holder.close();

  // Two servers without given ports: the second takes other ports than the first.
  const [first, second] = [await start({}), await start({ dbFilename })];
  expect(new Set([first.address, second.address, first.uiUrl.slice(7), second.uiUrl.slice(7)]).size).toBe(4);
});

it('does not take another server for its own that was quicker to listen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-temporal-'));
  const begun = join(folder, 'begun');
  const slow = await writeProgram(join(folder, 'temporal'), `#!/bin/sh\ntouch '${begun}'\nexec sleep 600\n`);
  const port = await freePort(3);
  const late = startDevServer({ executable: slow, port, uiPort: port + 1 }).catch((thrown: unknown) => thrown);
  await expect.poll(() => existsSync(begun)).toBe(true);
  const quick = await start({ port, uiPort: port + 2 });
  expect(await late).toMatchObject({ code: 'STP1102', facts: { port, pid: quick.pid } });
});

it('serves one database once', async () => {
  const dbFilename = await newDatabase();
  const server = await start({ dbFilename });
  await expect(startDevServer({ executable, dbFilename })).rejects.toMatchObject({
    code: 'STP1101',
    message: expect.stringContaining(server.address),
    facts: { pid: process.pid },
  });
});

it.each(['kill -9', 'exit'])('leaves no server behind when its owner ends by %s', async (how) => {
  const dbFilename = await newDatabase();
  const module = new URL('../../../infra/temporal/dev-server.ts', import.meta.url).href;
  const script = `
    import { startDevServer } from ${JSON.stringify(module)};
    const server = await startDevServer(${JSON.stringify({ executable, dbFilename })});
    console.log(server.pid);
    process.stdin.once('data', () => process.exit(0));`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  const orphan = await identify(Number(line.toString()));
  const exit = once(owner, 'exit');
  if (how === 'exit') owner.stdin.write('go');
  else owner.kill('SIGKILL');
  await exit;
  // After kill -9 the server runs on, unless it writes to its closed output and ends by that.
  if (how === 'exit') await expect.poll(() => isRunning(orphan), { timeout: 30_000 }).toBe(false);
  const next = await start({ dbFilename });
  expect(await isRunning(orphan)).toBe(false);
  expect(next.pid).not.toBe(orphan.pid);
});

it('says what the server said when it does not come up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stp-temporal-'));
  const broken = await writeProgram(join(folder, 'temporal'), '#!/bin/sh\necho "no such thing" >&2\nexit 4\n');
  const dbFilename = join(folder, 'temporal.db');
  await expect(startDevServer({ executable: broken, dbFilename })).rejects.toMatchObject({
    code: 'STP1101',
    message: expect.stringMatching(/exit code 4[\s\S]*no such thing/),
  });
  const panic = ["echo 'panic: listen tcp: no permission'", "for line in $(seq 99); do echo 'stack'; done", 'exit 2'];
  const panicked = await writeProgram(join(folder, 'panicked'), `#!/bin/sh\n{ ${panic.join('; ')}; } >&2\n`);
  await expect(startDevServer({ executable: panicked, dbFilename })).rejects.toMatchObject({
    message: expect.stringContaining('panic: listen tcp: no permission'),
  });
  await expect(startDevServer({ executable: '/nowhere', dbFilename })).rejects.toBeInstanceOf(StpError);
  expect(existsSync(`${dbFilename}.server.json`)).toBe(false);
});
