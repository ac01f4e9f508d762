/**
 * Tests a run whose Temporal server is killed: the command reports it, leaves nothing behind, and exits. A second command
 * on the run's folder says that the run is running. About 20 s.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { STP, stp } from '../support/stp.ts';

it('says that the server is gone and how to go on', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-lost-server-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const runDirectory = join(directory, 'my runs', 'r1');
  const command = execa(STP, ['selfplay', '--preset', 'smoke', '--run-dir', runDirectory], {
    all: true,
    reject: false,
  });
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: command.all }).on('line', (line) => {
      if (/^preparing data|^training/.test(line)) resolve();
    });
    command.then(({ all }) => reject(new Error(all)), reject);
  });
  const second = await stp(['selfplay', '--preset', 'smoke', '--run-dir', runDirectory]);
  expect(second.exitCode).toBe(2);
  expect(second.all).toContain(`STP1002 invalid argument: run r1 is running already, in process ${command.pid}\n`);
  const { server } = JSON.parse(await readFile(join(runDirectory, 'temporal', 'history.db.server.json'), 'utf8'));
  process.kill(server.pid, 'SIGKILL');
  const { all, exitCode } = await command;
  expect(exitCode).toBe(1);
  expect(all).toMatch(/STP1101 .* is not running: signal SIGKILL/);
  expect(all).toContain(`with --run-dir '${runDirectory}' continues the run`);
  expect(all).not.toContain('node_modules');
});
