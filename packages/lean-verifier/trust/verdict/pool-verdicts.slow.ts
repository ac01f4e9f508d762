/**
 * Repeats the last test of `pool-verdicts.process.test.ts` with `lean --json`, which starts a process for each run, so
 * there are more to kill.
 *
 * @module-tag slow
 */
import { test } from 'vitest';
import { expectVerdictsDespiteKills } from '../../testing/killed-at-random.ts';

test('forty candidates on two processes that are killed at random get their verdicts, once each', async () => {
  await expectVerdictsDespiteKills('json');
});
