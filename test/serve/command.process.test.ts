/**
 * Tests `bin/stp serve` as a process: its requirements, its end, and the errors of a remote engine after its sudden
 * death. Costs about 8 s of CPU.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requestsFor, SAMPLING, sameSamples } from '@stp/language-model/testing';
import { checkpointDirectory, clientOf, openEmbedded, openRemote, PROMPTS } from '@stp/language-model/testing-hooks';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { workerSettings } from '../../workers/settings.ts';
import { makeRun } from '../report/synthetic-run.ts';
import { freePort } from '../support/ports.ts';
import { stp } from '../support/stp.ts';

let directory: string;
beforeAll(async () => {
  directory = await checkpointDirectory();
});

/** The command, serving; killed at the end of the test if it still runs. */
async function startServe(port: number, args: readonly string[] = [], env: Record<string, string> = {}) {
  const command = stp(['serve', '--model', directory, '--port', String(port), ...args], { env });
  onTestFinished(async () => {
    command.kill('SIGKILL');
    await command;
  });
  const serving = new Promise<void>((resolve, reject) => {
    command.stdout?.on('data', (text: Buffer) => {
      if (text.includes('serving ')) resolve();
    });
    command.then((result) => reject(new Error(String(result.all))), reject);
  });
  await serving;
  // Wrapped: a command is a promise of its end.
  return { command };
}

it('serves with a key and a name, and stops on SIGTERM with exit 0', async () => {
  const port = await freePort();
  const { command } = await startServe(port, ['--name', 'prover', '--threads', '1'], { STP_SERVE_KEYS: 'one, two' });
  const url = `http://127.0.0.1:${port}`;
  await expect(clientOf(url, 'three').models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  const asked = clientOf(url, 'two').completions.create({ model: 'prover', prompt: PROMPTS[0]!, n: 64, seed: 1 });
  const { choices } = await asked;
  expect(choices).toHaveLength(64);
  command.kill('SIGTERM');
  const { exitCode, all } = await command;
  expect(exitCode).toBe(0);
  expect(all).toContain(`on ${url}/v1`);
  expect(all).not.toMatch(/\b(one|two)\b/);
});

it('serves the last model of a run', async () => {
  const run = await mkdtemp(join(tmpdir(), 'stp-serve-run-'));
  onTestFinished(() => rm(run, { recursive: true }));
  const { store, state } = await makeRun(run, {
    statements: ['theorem a (n : Nat) : n = n'],
    rounds: [{ samples: 1, shards: [{ 0: 1 }] }],
  });
  await store.put('config.json', JSON.stringify(state.config));
  const manifest = { ...state.checkpoint.manifest, uri: pathToFileURL(join(directory, 'files.json')).href };
  await rm(join(run, 'state', 'round-0.json'));
  await store.put('state/round-0.json', JSON.stringify({ ...state, checkpoint: { ...state.checkpoint, manifest } }));
  const { command } = await startServe(await freePort(), ['--model', run, '--name', 'prover']);
  command.kill('SIGTERM');
  expect((await command).exitCode).toBe(0);
  const shown = await stp(['weights', 'show', run]);
  expect(shown.all).toContain('a checkpoint of a run');
  expect(await stp(['weights', 'show', `${run}-none`])).toMatchObject({
    exitCode: 2,
    all: expect.stringContaining('names no model'),
  });
});

describe('is refused', () => {
  it.each([
    ['for all the world without a key', ['--host', '0.0.0.0'], 'STP_SERVE_KEYS', 2],
    ['on a host that is not here', ['--host', '192.0.2.1', '--no-key'], '192.0.2.1', 2],
    ['on a port that cannot be', ['--port', '70000'], 'port', 2],
    ['without a checkpoint', ['--model', '/nonexistent'], 'names no model', 2],
  ])('%s', async (_, args, said, code) => {
    const result = await stp(['serve', '--model', directory, '--port', String(await freePort()), ...args], {
      env: { STP_SERVE_KEYS: '' },
    });
    expect(result.all).toContain(said);
    expect(result.exitCode).toBe(code);
  });
});

it('killed under a remote engine: an error worth another try, which asks only for what is missing', {
  tags: ['slow'],
}, async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { command: first } = await startServe(port);
  const remote = await openRemote(url, directory, { requestsInFlight: 8 });
  const requests = requestsFor(10);
  let finished = 0;
  const sampling = remote.sample(requests, SAMPLING, {
    onCompletion: () => {
      if (++finished === 5) first.kill('SIGKILL');
    },
  });
  await expect(sampling).rejects.toMatchObject({ code: 'STP1303', retryable: true });
  await first;
  expect(finished).toBeLessThan(requests.length);
  await startServe(port);
  const completions = await remote.sample(requests, SAMPLING);
  sameSamples(completions, await (await openEmbedded(directory)).sample(requests, SAMPLING));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const served = /^stp_serve_requests_total\{route="\/v1\/completions",status="200"\} (\d+)$/m.exec(metrics)?.[1];
  expect(Number(served)).toBe(requests.length - finished);
});

describe('settings of a worker', () => {
  it('name the server, its models and the variable of its key', () => {
    expect(workerSettings({}).modelServer).toBeNull();
    expect(workerSettings({ STP_GENERATOR_URL: 'http://gpu:8000', STP_GENERATOR_KEY: 'hidden' }).modelServer).toEqual({
      urls: ['http://gpu:8000/v1'],
      servedName: '{model}',
      keyVariable: 'STP_GENERATOR_KEY',
    });
    const full = {
      STP_GENERATOR_URL: 'https://a/b/v1, http://c',
      STP_GENERATOR_MODEL: 'p-{model}',
      STP_GENERATOR_REQUESTS: '8',
    };
    expect(workerSettings(full).modelServer).toMatchObject({
      urls: ['https://a/b/v1', 'http://c/v1'],
      servedName: 'p-{model}',
    });
  });

  it.each([
    [{ STP_GENERATOR_URL: 'gpu:8000' }],
    [{ STP_GENERATOR_URL: 'http://gpu:8000,' }],
    [{ STP_GENERATOR_URL: 'ftp://gpu/v1' }],
    [{ STP_GENERATOR_URL: 'http://user:password@gpu/v1' }],
    [{ STP_GENERATOR_URL: 'http://gpu/v1', STP_GENERATOR_MODEL: 'llama' }],
    [{ STP_GENERATOR_URL: 'http://gpu/v1', STP_GENERATOR_REQUESTS: '0' }],
  ])('are refused where they cannot be meant: %j', (environment) => {
    expect(() => workerSettings(environment)).toThrow(expect.objectContaining({ code: 'STP1001' }));
  });
});
