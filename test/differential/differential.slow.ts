/** What `differential.test.ts` does, with many more texts: about seven minutes of two cores. */
import { expect, test } from 'vitest';
import { compareManyFiles, compareManyProofs } from './workbench.ts';

const PROOFS = 30_000;
const FILES = 300;

test(`${PROOFS} random proofs get the verdicts of their objects`, async () => {
  const tally = await compareManyProofs(PROOFS);
  expect(tally.failures.join('\n\n')).toBe('');
  expect(tally.compared).toBeGreaterThan(PROOFS / 4);
  expect(tally.unclear).toBeLessThan(tally.passed / 20);
});

test(`${FILES} random files are judged as their generator knows`, async () => {
  const tally = await compareManyFiles(FILES);
  expect(tally.failures.join('\n\n')).toBe('');
  expect(tally.compared).toBeGreaterThan(FILES / 2);
});
