/** Tests a worker that starts before its server, with its log on a full disk. A few seconds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { untilServer } from '../../workers/await-server.ts';
import { REPOSITORY } from '../../workers/settings.ts';

const LOG = '/dev/full';

it('waits for its server, and says so once', async () => {
  const said: string[] = [];
  let calls = 0;
  const connect = async (): Promise<string> => {
    calls += 1;
    if (calls < 3) throw new Error('connection refused');
    return 'connected';
  };
  expect(await untilServer('temporal.example:7233', connect, (line) => said.push(line))).toBe('connected');
  expect(said).toEqual([expect.stringMatching(/^STP1101 .*temporal\.example:7233\n.*\nThe worker waits/)]);
});

it('ends at a signal while it waits', async () => {
  const waiting = untilServer(
    'temporal.example:7233',
    async () => Promise.reject(new Error('connection refused')),
    () => process.emit('SIGTERM'),
  );
  await expect(waiting).rejects.toMatchObject({ code: 'STP1101' });
  expect(process.listenerCount('SIGTERM')).toBe(0);
});

it('outlives a log that takes no more', async () => {
  // A server that hangs up: the worker says so, which its log does not take, and asks again.
  let calls = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined).destroy();
    calls += 1;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const log = openSync(LOG, 'w');
  const script = `import { startWorker } from './workers/start.ts';
    const over = startWorker(['control']);
    process.stderr.write('as the logger of the SDK writes');
    await over;`;
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: REPOSITORY,
    env: { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${port}` },
    stdio: ['ignore', log, log],
  });
  const ended = once(worker, 'exit').then(() => 'ended');
  try {
    await Promise.race([ended, expect.poll(() => calls, { timeout: 60_000 }).toBeGreaterThan(2)]);
    expect(worker.exitCode).toBeNull();
  } finally {
    worker.kill('SIGKILL');
    await ended;
    server.close();
  }
});
