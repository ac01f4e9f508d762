/**
 * The fast tier, in two projects. A file named `*.process.test.ts` has a process of its own. All other files share
 * processes, which load modules once. Such a file uses no Lean, no Temporal server, no process and no mocked module, and
 * sets no environment variable, so it leaves nothing behind that another file could see. `npm test` omits tests with the
 * tag `slow`; a file named on vitest's own command line runs with them.
 */
import './test/support/compile-cache.ts';
import { defineConfig } from 'vitest/config';
import { longFirst } from './test/support/long-first.ts';
import { SLOW } from './test/support/slow-tag.ts';

/** Files of half a minute and more. */
const LONG = [
  'packages/lean-verifier/trust/verifier.process.test.ts',
  'test/adversarial/adversarial.process.test.ts',
  'test/e2e/verify-command.process.test.ts',
  'test/workflows/selfplay.process.test.ts',
  'test/e2e/check-command.process.test.ts',
  'test/workflows/cloud-nodes.process.test.ts',
  'packages/lean-verifier/runtime/process/drivers.process.test.ts',
  'packages/lean-verifier/serve/faults.process.test.ts',
  'test/differential/differential.process.test.ts',
  'test/workflows/full-disk.process.test.ts',
  'test/activities/library.process.test.ts',
  'test/docs/guides.process.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Lean, Temporal and training each want a core, and half of the time a file waits for them: one more than the two cores
    // this is measured on. More only make every one slower.
    maxWorkers: 3,
    tags: [SLOW],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    // What comes at once on an idle machine may take long on one that stands still; vitest's own limit is one second.
    expect: { poll: { timeout: 50_000 } },
    sequence: { sequencer: longFirst(LONG) },
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: ['{test,packages}/**/*.process.test.ts'],
          globalSetup: 'test/support/set-up.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{test,packages}/**/*.test.ts'],
          exclude: ['**/*.process.test.ts', '**/node_modules/**'],
          isolate: false,
        },
      },
    ],
  },
});
