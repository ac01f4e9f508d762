/**
 * Tests every attack on a proof as an object, without a screen: none is proved. Each attack has two starts of Lean,
 * because it needs a module of its own: a text that ends early, or leaves a comment open, would affect its neighbours.
 * Some three minutes of a core.
 *
 * @module-tag slow
 */
import { rmSync } from 'node:fs';
import { limitClasses } from '@stp/lean-verifier';
import { claimOf, confirmProofs, coreEnvironment, scratchFolder } from '@stp/lean-verifier/testing';
import { afterAll, expect, test } from 'vitest';
import { machineSandbox } from '../support/sandbox.ts';
import { readAttacks } from './attacks.ts';

const environment = await coreEnvironment();
const sandbox = (await machineSandbox(environment)) ?? undefined;
const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

test('an attack that the screen refuses is not proved without it either', async () => {
  const attacks = readAttacks('proof').filter(
    ({ header, statement, expected }) =>
      header === null && statement.startsWith('theorem claim : (1 : Nat) = 2') && expected !== 'timeout',
  );
  expect(attacks.length).toBeGreaterThan(80);
  const proved: string[] = [];
  const left = Iterator.from(attacks);
  const lookAtMore = async (): Promise<void> => {
    for (const { name, statement, proof } of left) {
      const [found] = await confirmProofs('', [claimOf(statement.replace('theorem claim', ''), proof)], {
        processContext: { environment, workingDirectory: scratchDirectory, sandbox },
        scratchDirectory,
        limits: limitClasses({ candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 }).big,
        writtenUnder: '',
        indexFolder: null,
        onDisagreement: null,
        signal: AbortSignal.timeout(600_000),
      });
      if (found!.kind === 'proved') proved.push(name);
    }
  };
  await Promise.all([lookAtMore(), lookAtMore()]);
  expect(proved).toEqual([]);
}, 900_000);
