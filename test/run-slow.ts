/**
 * `npm run test:slow`: the tests with the tag `slow`, and the files `*.slow.ts`, which have it whole. The counts go to
 * `.cache/test-counts-slow.json` for CI. Exit 1 when anything failed.
 */
import { runVitest, tell } from './support/run-tests.ts';

tell('slow', await runVitest('slow', ['--config=vitest.slow.config.ts', ...process.argv.slice(2)]));
