/**
 * `npm test`: types, lint, boundaries, dead code, then the tests. Every step runs, also after one has failed, and each
 * counts as one test; the counts go to `.cache/test-counts-fast.json` for CI. A test that fails is tried once more, and named in
 * the end where it passes then. Exit 1 when anything failed.
 */
import { readFileSync, rmSync } from 'node:fs';
import { runCommand, runVitest, tell } from './support/run-tests.ts';
import { SECOND_TRIES } from './support/second-try.ts';

const steps: readonly (readonly [string, readonly string[]])[] = [
  ['types', ['tsc', '--noEmit']],
  ['format and lint', ['biome', 'check', '.']],
  [
    'boundaries',
    [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'workflows',
      'activities',
      'workers',
      'selfplay',
      'lean',
      'model',
      'infra',
      'data',
      'cli',
      'experiments',
    ],
  ],
  ['dead code', ['knip']],
];

let passed = 0;
let failed = 0;
for (const [name, command] of steps) {
  console.log(`— ${name}`);
  if (await runCommand(command)) passed++;
  else {
    failed++;
    console.error(`FAILED: ${name}`);
  }
}
rmSync(SECOND_TRIES, { force: true });
console.log('— tests');
const tests = await runVitest('vitest', [
  '--retry=1',
  '--reporter=./test/support/second-try.ts',
  ...process.argv.slice(2),
]);
const secondTries = JSON.parse(readFileSync(SECOND_TRIES, 'utf8')) as string[];
for (const name of secondTries) console.log(`passed only at the second try: ${name}`);
tell('fast', { passed: passed + tests.passed, failed: failed + tests.failed, skipped: tests.skipped });
