/**
 * The slow tier: three files at a time. Files that cannot have others beside them run last.
 */
import './test/support/compile-cache.ts';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { longFirst } from './test/support/long-first.ts';
import { SLOW } from './test/support/slow-tag.ts';

/** Files of two minutes and more. */
const LONG = [
  'packages/lean-kernel/hostile.test.ts',
  'test/docs/lean-core.slow.ts',
  'test/e2e/grpo.slow.ts',
  'test/adversarial/objects.slow.ts',
  'test/docs/your-project.slow.ts',
  'packages/lean-verifier/serve/headers.process.test.ts',
  'test/llama-cpp/commands.slow.ts',
  'test/examples/smoke-run.slow.ts',
];

/** They say at their tops why. */
const ALONE = [
  'test/e2e/crash.slow.ts',
  'test/examples/own-machines.slow.ts',
  'test/rehearsal/machines.slow.ts',
  'test/rehearsal/rehearsal.slow.ts',
];

/** Files of the fast tier that have a test with the tag; `test/run-slow.ts` leaves their other tests out. */
const TAGGED = globSync('{test,packages}/**/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  readFileSync(join(import.meta.dirname, path), 'utf8').includes("['slow']"),
);

export default defineConfig({
  test: {
    pool: 'forks',
    tags: [SLOW],
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    globalSetup: 'test/support/set-up.ts',
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: longFirst(LONG) },
    projects: [
      {
        extends: true,
        test: { name: 'slow', include: ['{test,packages}/**/*.slow.ts'], exclude: ALONE, maxWorkers: 3 },
      },
      {
        extends: true,
        test: { name: 'tagged', include: TAGGED, maxWorkers: 3 },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, maxConcurrency: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
