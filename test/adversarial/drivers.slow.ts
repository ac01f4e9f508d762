/**
 * Runs `adversarial.process.test.ts` by `lean --json` and by the language server; and by both the attacks as they are, with no
 * screen before them. Some two minutes of a core, most of it loops, once a driver.
 *
 * @module-tag slow
 */

import { limitClasses } from '@stp/lean-verifier';
import { checkEntries, type Outcome, openCheckPool, PROOFS, STANDARD_AXIOMS } from '@stp/lean-verifier/testing';
import { describe, expect, test } from 'vitest';
import { readAttacks } from './attacks.ts';
import {
  environment,
  expectVerdictsOfProofs,
  expectVerdictsOfStatements,
  HONEST,
  LIMITS,
  scratchOfTest,
  walls,
} from './verdicts.ts';

describe('by the driver server', () => {
  test('each proof gets its verdict, and an honest one beside each of them is proved', async () => {
    await expectVerdictsOfProofs('server');
  });

  test('each statement gets its verdict, and an honest one beside each of them is accepted', async () => {
    await expectVerdictsOfStatements('server');
  });
});

/**
 * The screen is a filter, and little rests on it alone: here the attacks go to Lean as they are, but those that switch its
 * kernel off. Those are the second kernel's to refuse.
 */
test.each(['json', 'server'] as const)(
  'by the driver %s none is accepted where the screen lets everything through',
  async (driver) => {
    const scratchDirectory = scratchOfTest();
    const entries = readAttacks('proof')
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
    const processContext = { environment, workingDirectory: scratchDirectory, ...walls };
    const pool = openCheckPool(processContext, { driver, processes: 2 });
    const check = {
      pool,
      ...limitClasses(LIMITS),
      smallLimitsOnly: false,
      alone: false,
      entriesPerRun: pool.driver.candidatesPerRun,
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
  },
);

function restsOnMore(axioms: readonly string[]): boolean {
  return axioms.some((name) => !STANDARD_AXIOMS.has(name) && /sorryAx|_stp|ofReduce|cheat/.test(name));
}
