/**
 * A verifier that is closed during its work leaves no process, and no file in a folder that its owner removes next.
 * Under 20 s.
 */
import { globSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { coreEnvironment, scratchFolder } from '../testing/environment.ts';
import { openVerifier } from './open-verifier.ts';

it('waits for the proofs that it looks at as objects', async () => {
  const scratchDirectory = scratchFolder();
  onTestFinished(() => rmSync(scratchDirectory, { recursive: true, force: true }));
  const environment = await coreEnvironment();
  const verifier = await openVerifier({
    environment,
    libraryHeader: '',
    processes: 1,
    cacheDirectory: null,
    scratchDirectory,
  });
  const candidates = Array.from({ length: 20 }, (_, index) => ({
    id: String(index),
    header: null,
    statement: `theorem t (a b : Nat) : a + b + ${index} = ${index} + b + a`,
    proof: '  omega',
  }));
  const checking = verifier.check(candidates).catch((error: unknown) => error);
  await expect
    .poll(() => globSync(join(scratchDirectory, 'confirm-*', '*', '*.lean')), { interval: 5 })
    .not.toEqual([]);
  await verifier.close();
  expect(readdirSync(scratchDirectory)).toEqual([]);
  expect(await checking).toMatchObject({ code: 'STP1203' });
});
