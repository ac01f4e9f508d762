/**
 * As the end of `pool-verdicts.process.test.ts`, by `lean --json`: a process for every run of candidates, so that there are more to kill.
 *
 * @module-tag slow
 */
import { test } from 'vitest';
import { expectVerdictsDespiteKills } from '../../testing/killed-at-random.ts';

test('forty candidates on two processes that are killed at random get their verdicts, once each', async () => {
  await expectVerdictsDespiteKills('json');
});
