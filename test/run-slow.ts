/**
 * `npm run test:slow`: the tests that take minutes each (`*.slow.ts`), nothing else. The counts go to
 * `.cache/test-counts-slow.json` for CI. Exit 1 when anything failed.
 */
import { runVitest, tell } from './support/run-tests.ts';

tell('slow', await runVitest('vitest-slow', ['--config=vitest.slow.config.ts', ...process.argv.slice(2)]));
