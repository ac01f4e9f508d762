/** The slow tier: files of minutes each, one after the other, since each of them keeps all cores busy. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.slow.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
  },
});
