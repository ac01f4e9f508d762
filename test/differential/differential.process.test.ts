/**
 * Compares the verifier with Lean's own objects on random proofs, and on random files whose facts their generator
 * knows. Nobody wrote these verdicts down. A small part of `differential.slow.ts`; about ten seconds of one core.
 */
import { expect, test, vi } from 'vitest';
import { compareManyFiles, compareManyProofs } from './workbench.ts';

/** Time limit for several processes in sequence; their time depends on the load of the machine. */
vi.setConfig({ testTimeout: 180_000 });

test('two hundred random proofs get the verdicts of their objects', async () => {
  const tally = await compareManyProofs(200);
  expect(tally.failures.join('\n\n')).toBe('');
  // There would be nothing to compare if the screen refused all, or nothing held.
  expect(tally.passed).toBeGreaterThan(50);
  expect(tally.proved).toBeGreaterThan(6);
  expect(tally.unclear).toBeLessThan(Math.max(5, tally.passed / 20));
});

test('random files are judged as their generator knows', async () => {
  const tally = await compareManyFiles(8);
  expect(tally.failures.join('\n\n')).toBe('');
  expect(tally.compared).toBeGreaterThan(4);
  expect(tally.accepted).toBeGreaterThan(10);
});
