/**
 * Every attack gets its expected verdict and none is accepted, whatever Lean is spoken to by, and honest candidates checked
 * beside the attacks are not disturbed. Real Lean, in the sandbox where there is one; about two minutes of one core, most of
 * it the loops, once a driver, and the files.
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
import { script } from '../lean/drivers.ts';
import { coreEnvironment, scratchFolder } from '../lean/environment.ts';
import { machineSandbox } from '../support/sandbox.ts';
import { readAttacks } from './attacks.ts';

const REPL_DOUBLE = join(import.meta.dirname, '..', 'lean', 'repl-double.ts');

const HONEST = {
  header: null,
  statement: 'theorem honest (a b : Nat) : a + b = b + a',
  proof: '  exact Nat.add_comm a b',
};
/** Honest proofs of different texts, so that each is checked: comments make no difference. */
const besides = (what: string | number): string =>
  `  have beside_${String(what).replaceAll('-', '_')} := a\n${HONEST.proof}`;
const LIMITS = { candidateTimeoutMs: 2_500, memoryBytesMax: 2_147_483_648 };

const environment: LeanEnvironment = await coreEnvironment();
const sandbox = await machineSandbox(environment);
const walls = sandbox === null ? {} : { sandbox };
const scratchDirectory = scratchFolder();
const COMMON = { libraryHeader: '', processes: 2, cacheDirectory: null, scratchDirectory, ...LIMITS };
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));

/** The REPL is a double here, so only what concerns its protocol is tried on it. */
describe.each(['json', 'server'] as const)('proofs and statements, by the driver %s', (driver) => {
  const attacks = readAttacks('proof');
  let verifier: Verifier;
  beforeAll(async () => {
    verifier = await openVerifier({ environment, driver, ...COMMON, ...walls });
  });
  afterAll(() => verifier.close());

  test('each gets its verdict, and an honest proof beside each of them is proved', async () => {
    const candidates = attacks.flatMap(({ name, header, statement, proof }) => [
      { id: name, header, statement, proof },
      { ...HONEST, id: `honest beside ${name}`, proof: besides(name) },
    ]);
    const results = await verifier.check(candidates);
    const kinds = Object.fromEntries(results.map(({ id, kind }) => [id, kind]));
    const expected = attacks.flatMap((attack) => [
      [attack.name, attack.expected],
      [`honest beside ${attack.name}`, 'proved'],
    ]);
    expect(kinds).toEqual(Object.fromEntries(expected));
  });

  /**
   * The screen is a filter, and little rests on it alone: here the attacks go to Lean as they are, but those that switch its
   * kernel off. Those are the second kernel's to refuse.
   */
  test('none is accepted where the screen lets everything through', async () => {
    const entries = attacks
      .filter(
        (attack) =>
          !attack.leanAccepts && attack.header === null && attack.statement.startsWith('theorem claim : (1 : Nat) = 2'),
      )
      // Loops cost the same without the screen, and sleep waits: once, by one driver, is enough.
      .filter((attack) => attack.name !== 'sleep' && (driver === 'json' || attack.expected !== 'timeout'))
      .flatMap((attack) => [
        { header: '', signature: ' : (1 : Nat) = 2', proofText: attack.proof },
        { header: '', signature: HONEST.statement.replace('theorem honest', ''), proofText: HONEST.proof },
      ]);
    const outcomes = new Map<number, Outcome>();
    const place = { environment, workingDirectory: scratchDirectory, ...walls };
    const pool = openCheckPool(place, { driver, processes: 2 });
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

  test('each statement gets its verdict, and an honest one beside each of them is accepted', async () => {
    const lies = readAttacks('statement');
    const statements = lies.flatMap(({ name, header, statement }) => [
      { id: name, header, statement },
      { id: `honest beside ${name}`, header: null, statement: HONEST.statement },
    ]);
    const results = await verifier.checkStatements(statements);
    const kinds = Object.fromEntries(results.map(({ id, kind }) => [id, kind]));
    const expected = lies.flatMap((attack) => [
      [attack.name, attack.expected],
      [`honest beside ${attack.name}`, 'accepted'],
    ]);
    expect(kinds).toEqual(Object.fromEntries(expected));
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
      proof: besides(index),
    }));
    const candidates = random.flatMap((one, index) => (index % 15 === 0 ? [one, honest[index / 15]!] : [one]));
    const verifier = await openVerifier({ environment, ...COMMON, ...walls });
    const results = await verifier.check(candidates);
    await verifier.close();
    const proved = results.filter(({ kind }) => kind === 'proved').map(({ id }) => id);
    expect(proved).toEqual(honest.map(({ id }) => id));
    expect(results.filter(({ kind }) => kind === 'rejected').length).toBeGreaterThan(100);
  });

  /** Any fixed scramble of two small numbers will do. */
  function hash(left: number, right: number): number {
    return Math.imul(Math.imul(left + 1, 0x9e3779b1) ^ (right + 0x7f4a7c15), 0x85ebca6b) >>> 8;
  }
});

test('the corpus is there', () => {
  const counts = (['proof', 'statement', 'file', 'protocol'] as const).map((kind) => readAttacks(kind).length);
  expect(counts.map((count, index) => count >= [90, 20, 30, 10][index]!)).toEqual([true, true, true, true]);
});

describe('what a process could write to its driver', () => {
  test.each(readAttacks('protocol'))('$name proves nothing', async ({ name, driver, writes }) => {
    const isRepl = driver === 'repl';
    const framed =
      driver === 'server' ? writes.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`) : writes;
    const separator = isRepl ? '\n\n' : '\n';
    const forged = join(scratchDirectory, `${name}.forged`);
    writeFileSync(forged, driver === 'server' ? framed.join('') : framed.map((text) => text + separator).join(''));
    // It has run code before Lean says anything: without the sandbox, since it is the check that is to stand.
    const forger = script(scratchDirectory, name, `cat '${forged}'; exec '${environment.executable}' "$@"`);
    const double = script(scratchDirectory, `${name}-repl`, `exec '${process.execPath}' '${REPL_DOUBLE}' '${forged}'`);
    const verifier = await openVerifier({
      environment: isRepl ? environment : { ...environment, executable: forger },
      driver,
      replProgram: isRepl ? double : null,
      ...COMMON,
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
    const report = await checkFile(path, environment, { scratchDirectory, ...walls });
    expect(report.outcome).toBe(expected);
    const bad = report.theorems.filter((theorem) => theorem.verdict === 'accepted' && theorem.name !== 'a');
    expect(bad).toEqual([]);
  });
});
