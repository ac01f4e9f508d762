/** Tests how the messages on a candidate's lines are read. The verifier's tests have the same with real Lean. */
import { expect, it } from 'vitest';
import { readEntry } from './batch-reading.ts';

const LINES = { first: 10, theorem: 11, proof: 13, check: 15, last: 16 };
const error = (line: number, text: string) => ({ severity: 'error' as const, line, column: 0, text });
const UNKNOWN = error(15, 'Unknown identifier `_stp00_proof7`');

it('a rejection says what is wrong with the proof, not what our check of it misses', () => {
  const read = readEntry([error(13, '`grind` failed'), UNKNOWN], LINES);
  expect(read).toEqual({ kind: 'rejected', messages: [{ ...error(1, '`grind` failed') }] });
});

it('a proof without an error that its check refuses is unclear', () => {
  expect(readEntry([UNKNOWN], LINES)).toEqual({ kind: 'unclear' });
});

it('a statement that uses up its heartbeats, and has no other error, may be tried with more', () => {
  const used = error(10, '(deterministic) timeout at `isDefEq`, maximum number of heartbeats (1000) has been reached');
  expect(readEntry([used, UNKNOWN], LINES)).toMatchObject({ kind: 'timeout' });
  expect(readEntry([used, error(10, 'Unknown identifier `x`')], LINES)).toMatchObject({ kind: 'header_error' });
});

it('heartbeats used up are a timeout, also where something follows from it', () => {
  const used = error(13, '(deterministic) timeout at `whnf`, maximum number of heartbeats (1000) has been reached');
  expect(readEntry([used, error(13, 'unsolved goals'), UNKNOWN], LINES)).toMatchObject({ kind: 'timeout' });
});
