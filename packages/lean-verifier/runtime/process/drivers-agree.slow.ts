/**
 * Tests that the drivers agree on every verdict: for library proofs, for broken variants of them, and for scripts that
 * each fail in a different way. The `json` driver gets all in one run, the `server` driver each in a run of its own.
 * Takes about fifteen seconds of one core.
 *
 * @module-tag slow
 */
import { rmSync } from 'node:fs';
import { extractLibrary } from '@stp/lean-explore';
import { LIBRARY_DIRECTORY, libraryEnvironment } from '@stp/lean-explore/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { driverOf, MEMORY_BYTES_MAX, sessionOf } from '../../testing/drivers.ts';
import { scratchFolder } from '../../testing/environment.ts';
import { LIBRARY_HEADER } from '../../trust/header.ts';
import { screenProof } from '../../trust/screen/screen-proof.ts';
import { screenStatement } from '../../trust/screen/screen-statement.ts';
import type { BatchEntry } from '../../trust/verdict/batch-source.ts';
import { limitClasses } from '../../trust/verdict/limits.ts';
import { type EntryReading, runBatch } from '../../trust/verdict/run-batch.ts';
import type { LeanEnvironment } from '../../verifier.ts';
import type { DriverName } from './driver.ts';

const workingDirectory = scratchFolder();
const LIMITS = limitClasses({ candidateTimeoutMs: 60_000, memoryBytesMax: MEMORY_BYTES_MAX }).small;
const THEOREMS = 30;
const COMPILE_TIMEOUT_MS = 600_000;

let environment: LeanEnvironment;
beforeAll(async () => {
  environment = await libraryEnvironment();
}, COMPILE_TIMEOUT_MS);
afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));

function entry(statement: string, proof: string): BatchEntry {
  const screened = screenStatement(statement);
  const laidOut = screenProof(proof);
  if (!screened.accepted) throw new Error(`${statement}: ${screened.refusal.reason}`);
  // Proofs that the screen refuses go to Lean unchanged, because the drivers must agree on them too.
  return { signature: screened.signature, proofText: laidOut.accepted ? laidOut.text : proof };
}

const COMMUTES = 'theorem t (a b : Nat) : a + b = b + a';
const KINDS: readonly BatchEntry[] = [
  entry(COMMUTES, '  sorry'),
  entry(COMMUTES, '  exact Nat.add_comm a b'),
  entry(COMMUTES, '  have 𝔸 : a = a := rfl; exact 𝔸'),
  entry(COMMUTES, '  repeat skip'),
  entry(COMMUTES, '  induction a with\n  | zero => simp\n  | succ n ih => skip'),
  entry(COMMUTES, '  omega\n  )\n  #print axioms t\n  example : 1 = 1 := (by rfl'),
  entry(COMMUTES, '  /- never closed'),
  entry(COMMUTES, '  exact "never closed'),
  entry(COMMUTES, '  first | assumption | exact?'),
  entry('theorem t : nonsense = 2', '  rfl'),
  entry('theorem t : 1 = 2', '  decide'),
  entry('theorem t : ∀ x : Fin 4, ∀ y : Fin 3, x.val * y.val = y.val * x.val', '  decide'),
];

async function corpus(): Promise<BatchEntry[]> {
  const { theorems } = await extractLibrary(LIBRARY_DIRECTORY);
  const step = Math.floor(theorems.length / THEOREMS);
  const chosen = Array.from({ length: THEOREMS }, (_, index) => theorems[index * step]!);
  const honest = chosen.map(({ statement, proof }) => entry(statement, proof));
  const broken = chosen.slice(0, THEOREMS / 2).map(({ statement, proof }, index) => {
    const lines = proof.trimEnd().split('\n');
    const wrong = [lines.slice(0, -1).join('\n') || '  skip', `${proof}\n  rfl`, chosen[index + 1]!.proof];
    return entry(statement, wrong[index % wrong.length]!);
  });
  return [...honest, ...broken, ...KINDS];
}

/**
 * Reduces a reading to its kind, axioms, and messages with positions. Names in a message, and with them columns in a
 * statement, differ between runs. The position of a heartbeat timeout depends on earlier elaborations.
 */
function comparable({ reading }: EntryReading): unknown {
  if (!('messages' in reading) || reading.kind === 'timeout') return { ...reading, messages: [] };
  const messages = reading.messages.map(({ text, line, column, severity }) => ({
    severity,
    text: text.replaceAll(/_stp[0-9a-f]+_(\w+?)\d+/g, '_stp_$1'),
    position: reading.kind === 'header_error' ? line : [line, column],
  }));
  return { kind: reading.kind, messages };
}

async function readingsOf(name: DriverName, entries: readonly BatchEntry[], perRun: number): Promise<unknown[]> {
  const session = await sessionOf(driverOf(name, { environment, workingDirectory }), LIBRARY_HEADER);
  const readings: unknown[] = [];
  try {
    for (let first = 0; first < entries.length; first += perRun) {
      const some = entries.slice(first, first + perRun);
      const outcome = await runBatch(session, some, LIMITS, new AbortController().signal);
      if (outcome.kind !== 'ran') throw new Error(JSON.stringify(outcome));
      // An unclosed comment or string swallows the rest of its run.
      readings.push(...outcome.done.map(comparable), ...some.slice(outcome.done.length).map(() => null));
    }
  } finally {
    await session.close();
  }
  return readings;
}

function kindsOf(readings: readonly unknown[]): string[] {
  return readings.map((reading) => (reading as { kind: string } | null)?.kind ?? 'not reached');
}

test('json and server read the same of every entry', async () => {
  const all = await corpus();
  expect(all.length).toBeGreaterThanOrEqual(55);
  const swallows = ({ proofText }: BatchEntry): boolean => proofText.includes('never closed');
  const entries = all.filter((one) => !swallows(one));
  const json = await readingsOf('json', entries, entries.length);
  const kinds = kindsOf(json);
  expect(kinds.slice(0, THEOREMS)).toEqual(Array(THEOREMS).fill('unrefuted'));
  expect(new Set(kinds)).toEqual(new Set(['unrefuted', 'rejected', 'sorry', 'timeout', 'header_error']));
  expect(await readingsOf('server', entries, 1)).toEqual(json);

  const swallowing = all.filter(swallows);
  expect(swallowing.length).toBe(2);
  const alone = await readingsOf('json', swallowing, 1);
  expect(await readingsOf('server', swallowing, 1)).toEqual(alone);
});
