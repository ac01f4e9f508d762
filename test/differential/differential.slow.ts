/**
 * Runs `differential.process.test.ts` with many more texts: about two minutes of two cores.
 *
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { compareManyFiles, compareManyProofs } from './workbench.ts';

/** `STP_DIFFERENTIAL_TEXTS` asks for more (100,000 take some twenty minutes), `STP_DIFFERENTIAL_FROM` for later seeds. */
const PROOFS = Number(process.env.STP_DIFFERENTIAL_TEXTS ?? 3_000);
const FROM = Number(process.env.STP_DIFFERENTIAL_FROM ?? 0);
const FILES = 60;
/** Ten times as long as one text takes on two idle cores, and never less than ten minutes, ms. */
const TIMEOUT_MS = Math.max(600_000, 100 * PROOFS);

test(`${PROOFS} random proofs get the verdicts of their objects`, { timeout: TIMEOUT_MS }, async () => {
  const tally = await compareManyProofs(PROOFS, FROM);
  expect(tally.failures.join('\n\n')).toBe('');
  expect(tally.compared).toBeGreaterThan(PROOFS / 4);
  expect(tally.unclear).toBeLessThan(tally.passed / 20);
});

test(`${FILES} random files are judged as their generator knows`, async () => {
  const tally = await compareManyFiles(FILES);
  expect(tally.failures.join('\n\n')).toBe('');
  expect(tally.compared).toBeGreaterThan(FILES / 2);
});
