/** The shared parts of the attack tests: the sandbox and the limits, and the two checks that a driver must pass. */
import { rmSync } from 'node:fs';
import { type DriverName, type LeanEnvironment, openVerifier } from '@stp/lean-verifier';
import { coreEnvironment, scratchFolder } from '@stp/lean-verifier/testing';
import { expect, onTestFinished } from 'vitest';
import { machineSandbox } from '../support/sandbox.ts';
import { readAttacks } from './attacks.ts';

export const HONEST = {
  header: null,
  statement: 'theorem honest (a b : Nat) : a + b = b + a',
  proof: '  exact Nat.add_comm a b',
};
export const LIMITS = { candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 };

export const environment: LeanEnvironment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
export const walls = sandbox === null ? {} : { sandbox };

/** Settings of this machine's Lean, as all of these tests open one; the folder is theirs. */
export function settingsIn(scratchDirectory: string) {
  return { libraryHeader: '', processes: 2, cacheDirectory: null, scratchDirectory, ...LIMITS };
}

/** Goes with the test. */
export function scratchOfTest(): string {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every attack gets its verdict, and an honest proof beside each of them is proved. */
export async function expectVerdictsOfProofs(driver: DriverName, isExplained = true): Promise<void> {
  const attacks = readAttacks('proof');
  const verifier = await openVerifier({ environment, driver, ...settingsIn(scratchOfTest()), ...walls });
  const candidates = attacks.flatMap(({ name, header, statement, proof }) => [
    { id: name, header, statement, proof },
    // Of different texts, so that each is checked.
    {
      ...HONEST,
      id: `honest beside ${name}`,
      proof: `  have beside_${name.replaceAll('-', '_')} := a\n${HONEST.proof}`,
    },
  ]);
  const results = await verifier.check(candidates, { explains: () => isExplained });
  await verifier.close();
  const expected = attacks.flatMap((attack) => [
    [attack.name, attack.expected],
    [`honest beside ${attack.name}`, 'proved'],
  ]);
  expect(Object.fromEntries(results.map(({ id, kind }) => [id, kind]))).toEqual(Object.fromEntries(expected));
}

/** Every statement that is an attack gets its verdict, and an honest one beside each of them is accepted. */
export async function expectVerdictsOfStatements(driver: DriverName): Promise<void> {
  const lies = readAttacks('statement');
  const verifier = await openVerifier({ environment, driver, ...settingsIn(scratchOfTest()), ...walls });
  const results = await verifier.checkStatements(
    lies.flatMap(({ name, header, statement }) => [
      { id: name, header, statement },
      { id: `honest beside ${name}`, header: null, statement: HONEST.statement },
    ]),
  );
  await verifier.close();
  const expected = lies.flatMap((attack) => [
    [attack.name, attack.expected],
    [`honest beside ${attack.name}`, 'accepted'],
  ]);
  expect(Object.fromEntries(results.map(({ id, kind }) => [id, kind]))).toEqual(Object.fromEntries(expected));
}
