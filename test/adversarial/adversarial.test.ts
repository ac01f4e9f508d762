/**
 * Every attack gets its expected verdict and none is accepted, and honest candidates checked beside the attacks are not
 * disturbed. Real Lean; about fifty seconds of one core, half of it the loops and half the files.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkFile } from '../../lean/check-file.ts';
import { openCheckPool, openVerifier } from '../../lean/open-verifier.ts';
import { STANDARD_AXIOMS } from '../../lean/verdict/axioms.ts';
import { checkEntries } from '../../lean/verdict/check-entries.ts';
import type { Outcome } from '../../lean/verdict/check-outcome.ts';
import { openCheckTimes } from '../../lean/verdict/check-speculation.ts';
import { limitClasses } from '../../lean/verdict/limits.ts';
import { PROOFS } from '../../lean/verdict/run-batch.ts';
import type { LeanEnvironment, Verifier } from '../../lean/verifier.ts';
import { coreEnvironment, scratchFolder } from '../lean/environment.ts';
import { readAttacks } from './attacks.ts';

const HONEST = {
  header: null,
  statement: 'theorem honest (a b : Nat) : a + b = b + a',
  proof: '  exact Nat.add_comm a b',
};
const LIMITS = { candidateTimeoutMs: 5_000, memoryBytesMax: 2_147_483_648 };

let environment: LeanEnvironment;
let verifier: Verifier;
const scratchDirectory = scratchFolder();

beforeAll(async () => {
  environment = await coreEnvironment();
  const common = { libraryHeader: '', processes: 2, cacheDirectory: null, scratchDirectory };
  verifier = await openVerifier({ environment, ...common, ...LIMITS });
});
afterAll(async () => {
  await verifier.close();
  rmSync(scratchDirectory, { recursive: true, force: true });
});

describe('proofs', () => {
  const attacks = readAttacks('proof');

  test('there are at least thirty attacks', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(30);
  });

  test('each gets its verdict, and an honest proof beside each of them is proved', async () => {
    const candidates = attacks.flatMap(({ name, header, statement, proof }) => [
      { id: name, header, statement, proof },
      { ...HONEST, id: `honest beside ${name}`, proof: `${HONEST.proof} -- beside ${name}` },
    ]);
    const results = await verifier.check(candidates);
    const kinds = Object.fromEntries(results.map(({ id, kind }) => [id, kind]));
    const expected = attacks.flatMap((attack) => [
      [attack.name, attack.expected],
      [`honest beside ${attack.name}`, 'proved'],
    ]);
    expect(kinds).toEqual(Object.fromEntries(expected));
  });

  /** The screen is a filter and must not be what soundness rests on: here the attacks go to Lean as they are. */
  test('none is accepted where the screen lets everything through', async () => {
    const entries = attacks
      .filter((attack) => attack.header === null && attack.statement.startsWith('theorem claim : (1 : Nat) = 2'))
      .filter((attack) => !/sleep/.test(attack.name))
      .flatMap((attack) => [
        { header: '', signature: ' : (1 : Nat) = 2', proofText: attack.proof },
        { header: '', signature: HONEST.statement.replace('theorem honest', ''), proofText: HONEST.proof },
      ]);
    const outcomes = new Map<number, Outcome>();
    const pool = openCheckPool({ environment, workingDirectory: scratchDirectory }, { driver: 'json', processes: 2 });
    const check = {
      pool,
      ...limitClasses(LIMITS),
      smallLimitsOnly: false,
      alone: false,
      entriesPerRun: pool.driver.candidatesPerRun,
      times: openCheckTimes(),
      form: PROOFS,
      signal: AbortSignal.timeout(300_000),
    };
    await checkEntries(check, entries, (entry, outcome) => outcomes.set(entries.indexOf(entry), outcome));
    await pool.close();
    expect(outcomes.size).toBe(entries.length);
    const sorted = [...outcomes].sort(([left], [right]) => left - right);
    const clean = sorted.filter(([, outcome]) => 'axioms' in outcome && !restsOnMore(outcome.axioms));
    const honest = entries.filter((_, index) => index % 2 === 1);
    expect(clean.map(([index]) => entries[index]!.proofText)).toEqual(honest.map(({ proofText }) => proofText));
  });

  function restsOnMore(axioms: readonly string[]): boolean {
    return axioms.some((name) => !STANDARD_AXIOMS.has(name) && /sorryAx|_stp|ofReduce|cheat/.test(name));
  }
});

describe('random proofs', () => {
  const PIECES =
    'rfl simp omega exact intro (by ) ⟨ ⟩ [ ] at h <;> ; · | => fun x : := with cases induction first try all_goals show 1 2 = True False.elim absurd _ ?_ @id Nat.succ_ne_self _root_ let have calc open Nat in match end where'.split(
      ' ',
    );

  test('of a falsehood are never accepted, and honest proofs among them are', async () => {
    const random = Array.from({ length: 300 }, (_, index) => {
      const words = Array.from({ length: 2 + (hash(index, 0) % 9) }, (_, place) => {
        const gap = ['\n  ', ' ', ' ', ' '][hash(index, place + 100) % 4]!;
        return gap + PIECES[hash(index, place + 1) % PIECES.length]!;
      });
      return {
        id: `random ${index}`,
        header: null,
        statement: 'theorem claim : (1 : Nat) = 2',
        proof: `  skip${words.join('')}`,
      };
    });
    const honest = Array.from({ length: 20 }, (_, index) => ({
      ...HONEST,
      id: `honest ${index}`,
      proof: `${HONEST.proof} -- ${index}`,
    }));
    const candidates = random.flatMap((one, index) => (index % 15 === 0 ? [one, honest[index / 15]!] : [one]));
    const results = await verifier.check(candidates);
    const proved = results.filter(({ kind }) => kind === 'proved').map(({ id }) => id);
    expect(proved).toEqual(honest.map(({ id }) => id));
    expect(results.filter(({ kind }) => kind === 'rejected').length).toBeGreaterThan(100);
  });

  /** Any fixed scramble of two small numbers will do. */
  function hash(left: number, right: number): number {
    return Math.imul(Math.imul(left + 1, 0x9e3779b1) ^ (right + 0x7f4a7c15), 0x85ebca6b) >>> 8;
  }
});

describe('statements', () => {
  test('each gets its verdict, and an honest one beside each of them is accepted', async () => {
    const attacks = readAttacks('statement');
    const statements = attacks.flatMap(({ name, header, statement }) => [
      { id: name, header, statement },
      { id: `honest beside ${name}`, header: null, statement: HONEST.statement },
    ]);
    const results = await verifier.checkStatements(statements);
    const kinds = Object.fromEntries(results.map(({ id, kind }) => [id, kind]));
    const expected = attacks.flatMap((attack) => [
      [attack.name, attack.expected],
      [`honest beside ${attack.name}`, 'accepted'],
    ]);
    expect(kinds).toEqual(Object.fromEntries(expected));
  });
});

describe('files', () => {
  test.each(readAttacks('file'))('$name is $expected', async ({ name, folder, expected }) => {
    const path = join(scratchDirectory, `${name}.lean`);
    writeFileSync(path, readFileSync(join(folder, 'file.lean')));
    const report = await checkFile(path, environment, { scratchDirectory });
    expect(report.outcome).toBe(expected);
    const bad = report.theorems.filter((theorem) => theorem.verdict === 'accepted' && theorem.name !== 'a');
    expect(bad).toEqual([]);
  });
});
