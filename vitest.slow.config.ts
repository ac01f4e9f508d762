/** The slow tier: two files at a time. Those that need the machine to themselves, since they watch the clock, come after. */
import './test/support/compile-cache.ts';
import { defineConfig } from 'vitest/config';

/** They say at their tops why. */
const ALONE = ['test/e2e/crash.slow.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    globalSetup: 'test/support/set-up.ts',
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'slow', include: ['test/**/*.slow.ts'], exclude: ALONE, maxWorkers: 2 },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
