/**
 * `npm test`: the tests, and beside them types, lint, boundaries and dead code. Every check runs, also after one has failed, and
 * counts as one test; what a failed one has printed comes after the tests. The counts go to `.cache/test-counts-fast.json` for
 * CI. Exit 1 when anything failed.
 */
import { failureText, runQuietly, runVitest, tell } from './support/run-tests.ts';

const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ['types', ['tsc', '--noEmit']],
  ['format and lint', ['biome', 'check', '.']],
  [
    'boundaries',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'packages',
      'workflows',
      'activities',
      'workers',
      'infra',
      'cli',
      'tools',
    ],
  ],
  ['dead code', ['knip']],
];

interface FailedCheck {
  readonly name: string;
  readonly output: string;
}

/** One after the other, so that the tests have a core. */
async function runChecks(): Promise<FailedCheck[]> {
  const failures: FailedCheck[] = [];
  for (const [name, command] of CHECKS) {
    const { succeeded, output } = await runQuietly(command);
    console.log(`— ${name}: ${succeeded ? 'passed' : 'FAILED, its output comes after the tests'}`);
    if (!succeeded) failures.push({ name, output });
  }
  return failures;
}

const [failedChecks, tests] = await Promise.all([runChecks(), runVitest('fast', process.argv.slice(2))]);
for (const { name, output } of failedChecks) console.error(`FAILED: ${name}\n${output}`);
tell('fast', {
  passed: tests.passed + CHECKS.length - failedChecks.length,
  failed: tests.failed + failedChecks.length,
  skipped: tests.skipped,
  failures: [...failedChecks.map(({ name, output }) => failureText(name, output)), ...tests.failures],
});
