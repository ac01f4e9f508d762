/**
 * Every attack gets its expected verdict and none is accepted, and honest candidates checked beside the attacks are not
 * disturbed. Real Lean, in the sandbox where there is one; about a minute of one core, most of it the loops and the files. The
 * other driver, and what comes past the screen, are in `drivers.slow.ts` and `objects.slow.ts`; random texts in
 * `test/differential/`.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile, openVerifier } from '@stp/lean-verifier';
import { scratchFolder, script } from '@stp/lean-verifier/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { readAttacks } from './attacks.ts';
import {
  environment,
  expectVerdictsOfProofs,
  expectVerdictsOfStatements,
  HONEST,
  settingsIn,
  walls,
} from './verdicts.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

const scratchDirectory = scratchFolder();
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

describe('by the driver json', () => {
  test('each proof gets its verdict, and an honest one beside each of them is proved', async () => {
    await expectVerdictsOfProofs('json');
  }, 300_000);

  test('and the same one where nobody asks why', async () => {
    await expectVerdictsOfProofs('json', false);
  }, 300_000);

  test('each statement gets its verdict, and an honest one beside each of them is accepted', async () => {
    await expectVerdictsOfStatements('json');
  });
});

test('the corpus is there', () => {
  const counts = (['proof', 'statement', 'file', 'protocol'] as const).map((kind) => readAttacks(kind).length);
  expect(counts.map((count, index) => count >= [90, 20, 30, 7][index]!)).toEqual([true, true, true, true]);
});

describe('what a process could write to its driver', () => {
  test.each(readAttacks('protocol'))('$name proves nothing', async ({ name, driver, writes }) => {
    const framed =
      driver === 'server' ? writes.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`) : writes;
    const forged = join(scratchDirectory, `${name}.forged`);
    writeFileSync(forged, driver === 'server' ? framed.join('') : framed.map((text) => `${text}\n`).join(''));
    // The attack has run code before Lean reports anything. It runs without a sandbox, since the check itself must
    // hold.
    const forger = script(scratchDirectory, name, `cat '${forged}'; exec '${environment.executable}' "$@"`);
    const verifier = await openVerifier({
      environment: { ...environment, executable: forger },
      driver,
      ...settingsIn(scratchDirectory),
      processes: 1,
    });
    const statement = 'theorem claim : (1 : Nat) = 2';
    const results = await verifier.check([
      { id: 'wrong', header: null, statement, proof: '  rfl' },
      { id: 'missing', header: null, statement, proof: '  skip' },
      { ...HONEST, id: 'honest' },
    ]);
    await verifier.close();
    expect(results.length).toBe(3);
    expect(results.filter(({ id, kind }) => kind === 'proved' && id !== 'honest')).toEqual([]);
  });
});

describe('files', () => {
  test.each(readAttacks('file'))('$name is $expected', async ({ name, folder, expected }) => {
    const path = join(scratchDirectory, `${name}.lean`);
    writeFileSync(path, readFileSync(join(folder, 'file.lean')));
    const report = await checkFile(path, environment, { scratchDirectory, sparesOthers: true, ...walls });
    expect(report.outcome).toBe(expected);
    const bad = report.theorems.filter((theorem) => theorem.verdict === 'accepted' && theorem.name !== 'a');
    expect(bad).toEqual([]);
  });
});
