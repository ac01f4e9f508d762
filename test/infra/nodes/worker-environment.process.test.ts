/** Tests the environment of workers of an inventory: the shell's server with its certificates, its store, and named variables. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { workerEnvironment } from '../../../cli/nodes/environment.ts';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stp-environment-'));
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'none.toml'));
  vi.stubEnv('TEMPORAL_ADDRESS', '10.0.0.2:7233');
  vi.stubEnv('STP_STORE', 'gs://bucket/runs');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

it('is the server and the store, without what is not set', () => {
  expect(workerEnvironment([])).toEqual({ TEMPORAL_ADDRESS: '10.0.0.2:7233', STP_STORE: 'gs://bucket/runs' });
});

it('has certificates and keys themselves, as a worker reads them', async () => {
  await writeFile(join(folder, 'c.pem'), CERTIFICATE);
  await writeFile(join(folder, 'c.key'), KEY);
  vi.stubEnv('TEMPORAL_TLS_SERVER_NAME', 'temporal.example');
  vi.stubEnv('TEMPORAL_TLS_SERVER_CA_CERT_PATH', join(folder, 'c.pem'));
  vi.stubEnv('TEMPORAL_TLS_CLIENT_CERT_PATH', join(folder, 'c.pem'));
  vi.stubEnv('TEMPORAL_TLS_CLIENT_KEY_PATH', join(folder, 'c.key'));
  const here = loadClientConnectConfig();
  const there = loadClientConnectConfig({ overrideEnvVars: workerEnvironment([]), disableFile: true });
  expect(there.connectionOptions.address).toBe('10.0.0.2:7233');
  expect(there.connectionOptions.tls).toEqual(here.connectionOptions.tls);
  expect(JSON.stringify(workerEnvironment([]))).not.toContain(folder);
});

it('has named variables, with the value of this shell if none is given', () => {
  vi.stubEnv('STP_LEAN_KEY', 'a key');
  expect(workerEnvironment(['STP_LEAN_KEY', 'STP_CACHE=/var/cache=1'])).toMatchObject({
    STP_LEAN_KEY: 'a key',
    STP_CACHE: '/var/cache=1',
  });
  expect(() => workerEnvironment(['STP_NOT_SET'])).toThrow(/no such variable/);
});
