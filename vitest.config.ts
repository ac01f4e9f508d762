import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Lean, Temporal and training each want a core, and half of the time a file waits for them: one more than the two cores
    // this is measured on. More only make every one slower.
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // What comes at once on an idle machine may take seconds on one that stands still; vitest's own limit is one second.
    expect: { poll: { timeout: 60_000 } },
  },
});
