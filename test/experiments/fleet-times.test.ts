/** The times that the proofs of a simulated fleet take, and what a split made beforehand would make of them. */
import { expect, it } from 'vitest';
import { staticSplit } from '../../experiments/fleet/static-split.ts';
import { proofMs } from '../../experiments/fleet/times.ts';

const TIMES = { seed: 1, scale: 2, runawayShare: 0.045, runawayMs: 1_500 };

it('draws proofs as recorded, with their runaways, and the same for the same names', () => {
  const drawn = Array.from({ length: 20_000 }, (_, index) => proofMs(TIMES, 'shard', `${index}`));
  expect(proofMs(TIMES, 'shard', '7')).toBe(drawn[7]);
  const sorted = drawn.toSorted((a, b) => a - b);
  const runaways = drawn.filter((ms) => ms === TIMES.runawayMs).length;
  expect(runaways / drawn.length).toBeGreaterThan(0.04);
  expect(runaways / drawn.length).toBeLessThan(0.055);
  // The recorded median is 19.3 ms.
  expect(sorted[drawn.length / 2]! / (TIMES.scale * 19.31)).toBeCloseTo(1, 0);
  const split = staticSplit([10, ...Array<number>(79).fill(1)], 1, 2);
  expect(split).toMatchObject({ wallSeconds: 0.049, usefulShare: 89 / 98 });
});
