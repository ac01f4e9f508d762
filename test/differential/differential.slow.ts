/** What `differential.test.ts` does, with many more texts: about two minutes of two cores. */
import { expect, test } from 'vitest';
import { compareManyFiles, compareManyProofs } from './workbench.ts';

/** `STP_DIFFERENTIAL_TEXTS` asks for more: 100,000 take some twenty minutes. */
const PROOFS = Number(process.env.STP_DIFFERENTIAL_TEXTS ?? 5_000);
const FILES = 60;

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
