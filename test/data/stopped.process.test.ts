/** Ctrl-C while a set is made of compiled modules. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stp } from '../support/stp.ts';

it('ends with a word, the usual exit code and nothing left', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stp-stopped-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const scratch = join(directory, 'scratch');
  const options = ['--from', 'lean', '--name', 'whole', '--out', join(directory, 'data')];
  const command = stp(['data', 'prepare', ...options], { env: { STP_SCRATCH: scratch } });
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  const left = () => readdir(scratch).catch(() => []);
  await expect.poll(left, { timeout: 60_000 }).not.toEqual([]);
  command.kill('SIGINT');
  const { exitCode, stderr } = await command;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: expect.stringMatching(/^ended by SIGINT$/m) });
  expect(stderr).not.toContain('at process');
  expect(await left()).toEqual([]);
});
