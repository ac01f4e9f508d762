/**
 * `npm test`: types, lint, boundaries, dead code, then the tests. Every step runs, also after one has failed, and each
 * counts as one test; the counts go to `.cache/test-counts.json` for CI. A test that fails is tried once more, and named in the
 * end where it passes then. Exit 1 when anything failed.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { SECOND_TRIES } from './support/second-try.ts';

const repository = join(import.meta.dirname, '..');
const results = join(repository, '.cache', 'vitest.json');
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

async function run(command: readonly string[]): Promise<boolean> {
  const { exitCode } = await execa(command[0]!, command.slice(1), {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    preferLocal: true,
    reject: false,
  });
  return exitCode === 0;
}

let passed = 0;
let failed = 0;
let skipped = 0;
for (const [name, command] of steps) {
  console.log(`— ${name}`);
  if (await run(command)) passed++;
  else {
    failed++;
    console.error(`FAILED: ${name}`);
  }
}
mkdirSync(join(repository, '.cache'), { recursive: true });
for (const file of [results, SECOND_TRIES]) rmSync(file, { force: true });
console.log('— tests');
const clean = await run([
  'vitest',
  'run',
  '--retry=1',
  '--reporter=./test/support/second-try.ts',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${results}`,
  ...process.argv.slice(2),
]);
const report = JSON.parse(readFileSync(results, 'utf8')) as {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
};
passed += report.numPassedTests;
failed += report.numFailedTests;
skipped += report.numPendingTests;
// A file that cannot be loaded, or an error outside any test, fails the run without failing a test.
if (!clean && report.numFailedTests === 0) failed++;
writeFileSync(join(repository, '.cache', 'test-counts.json'), JSON.stringify({ passed, failed, skipped }));
const secondTries = JSON.parse(readFileSync(SECOND_TRIES, 'utf8')) as string[];
for (const name of secondTries) console.log(`passed only at the second try: ${name}`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
