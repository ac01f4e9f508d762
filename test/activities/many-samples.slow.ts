/**
 * A round of 300,000 samples fits: collected, chosen, finished and merged for retraining in a process with a heap of
 * half a gibibyte, with every figure as the rule that made the samples says. Costs about 10 s of processor time and 200 MB of
 * temporary files; `npm run bench -- selection` does a million.
 *
 * @module-tag slow
 */
import { expect, it } from 'vitest';
import { expectedCounts } from './expected-counts.ts';
import { measureSelection, selectionConfig } from './measured-selection.ts';

const SAMPLES = 300_000;
const RSS_BYTES_MAX = 1_000_000_000;

it('selects among many samples in less than a gigabyte', async () => {
  const { counts, retrained, rssBytesMax } = await measureSelection(SAMPLES);
  const { retrained: expectedRetrained, ...expected } = expectedCounts(SAMPLES, selectionConfig);
  expect(counts).toMatchObject({ samples: SAMPLES, distinctSamples: SAMPLES - SAMPLES / 32, ...expected });
  expect(counts.conjecturerExamples).toBe(expected.conjecturesKept);
  expect(retrained).toBe(expectedRetrained);
  expect(rssBytesMax).toBeLessThan(RSS_BYTES_MAX);
}, 900_000);
