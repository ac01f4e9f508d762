/**
 * Tests the text of start-up scripts: a shell parses it, a linter finds nothing, and every installed package has one
 * version.
 */
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { readLock, readPins, startupMetadata, startupScript } from '../../../infra/bootstrap/script.ts';
import { REQUIREMENTS } from '../../python/python.ts';
import { shellcheck } from './shellcheck.ts';

const KINDS = ['tpu', 'gpu', 'lean'] as const;
const linter = shellcheck();

it.each(KINDS)('bash reads the script of a %s node', async (kind) => {
  await execa('bash', ['-n'], { input: startupScript({ kind }) });
});

it.skipIf(linter === null).each(KINDS)('shellcheck has nothing to say of the script of a %s node', async (kind) => {
  const input = startupScript({ kind });
  const { stdout } = await execa(linter!, ['--severity=style', '--shell=bash', '-'], { input, reject: false });
  expect(stdout).toBe('');
});

it('a kind of node installs its own environments, each package at one version, what it asks for included', () => {
  const { environments } = readPins();
  for (const kind of KINDS) {
    const script = startupScript({ kind });
    for (const [name, { kinds, packages }] of Object.entries(environments)) {
      expect(script.includes(` install_environment ${name} `)).toBe(kinds.includes(kind));
      if (!kinds.includes(kind)) continue;
      const lock = readLock(name);
      expect(lock.length).toBeGreaterThan(packages.length);
      expect(new Set(lock.map((one) => one.split('==')[0])).size).toBe(lock.length);
      for (const one of lock) expect(script).toContain(`'${one}'`);
      // What is asked for by hand has the version that it is asked for in. Names there are in their normal form.
      const normal = (one: string): string =>
        one
          .replace(/\[.*\]/, '')
          .toLowerCase()
          .replaceAll('_', '-');
      expect(lock).toEqual(expect.arrayContaining(packages.map(normal)));
    }
  }
});

it('the tests train with the versions that nodes have', () => {
  const tested = readFileSync(REQUIREMENTS, 'utf8').split('\n');
  // bitsandbytes is for GPUs, which the tests do without.
  const packages = readPins().environments.pytorch!.packages.filter((one) => !one.startsWith('bitsandbytes=='));
  expect(tested).toEqual(expect.arrayContaining(packages));
});

it('a pin cannot end its quotes', async () => {
  const pins = readPins();
  const lean = { ...pins.lean, toolchain: "a'; touch /nowhere/harm; '" };
  const first = startupScript({ kind: 'lean', pins: { ...pins, lean } });
  const line = first.split('\n').find((text) => text.startsWith('readonly LEAN_TOOLCHAIN='))!;
  const { stdout } = await execa('bash', ['-c', `${line}; printf '%s' "$LEAN_TOOLCHAIN"`]);
  expect(stdout).toBe(lean.toolchain);
});

it('the metadata names secrets and holds none; the script is within what a cloud takes', () => {
  const metadata = startupMetadata({
    kind: 'gpu',
    run: 'r1',
    storeUri: 'gs://bucket/runs',
    bundle: { uri: 'gs://bucket/bundles/worker.tar.gz', sha256: 'a'.repeat(64) },
    temporal: { address: 'temporal.example:7233', namespace: 'default' },
    secrets: { TEMPORAL_API_KEY: 'projects/p/secrets/temporal/versions/latest' },
  });
  expect(metadata['stp-secrets']).toBe('TEMPORAL_API_KEY projects/p/secrets/temporal/versions/latest');
  expect(Object.keys(metadata).every((key) => /^[a-z0-9-]+$/.test(key))).toBe(true);
  expect(metadata['startup-script']!.length).toBeLessThan(256 * 1024);
});
