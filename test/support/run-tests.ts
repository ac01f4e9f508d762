/** Runs vitest for `npm test` and `npm run test:slow`, and writes the results to the place where CI adds them up. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { SLOW } from './slow-tag.ts';

const repository = join(import.meta.dirname, '..', '..');
const cache = join(repository, '.cache');

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Ended {
  readonly succeeded: boolean;
  readonly output: string;
}

/** In the repository; what it prints is kept, not shown. */
export async function runQuietly(command: readonly string[]): Promise<Ended> {
  const { exitCode, all } = await execa(command[0]!, command.slice(1), {
    cwd: repository,
    stdin: 'ignore',
    all: true,
    preferLocal: true,
    reject: false,
  });
  return { succeeded: exitCode === 0, output: all };
}

/** In the repository, with what it prints shown. */
async function runShown(command: readonly string[]): Promise<boolean> {
  const { exitCode } = await execa(command[0]!, command.slice(1), {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    preferLocal: true,
    reject: false,
  });
  return exitCode === 0;
}

/** The tests of one tier: those that have the tag `slow`, or those that have it not. The rest counts as nothing. */
export async function runVitest(tier: 'fast' | 'slow', args: readonly string[]): Promise<Counts> {
  const results = join(cache, `vitest-${tier}.json`);
  const filter = tier === 'slow' ? SLOW.name : `!${SLOW.name}`;
  mkdirSync(cache, { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const clean = await runShown(['vitest', 'run', `--tags-filter=${filter}`, ...reporters, ...args]);
  const report = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: readonly { assertionResults: readonly { status: string; tags: readonly string[] }[] }[];
  };
  const skipped = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, tags }) => status === 'skipped' && tags.includes(SLOW.name) === (tier === 'slow'));
  // A file that cannot be loaded, or an error outside any test, fails the run without failing a test.
  const failed = report.numFailedTests === 0 && !clean ? 1 : report.numFailedTests;
  return { passed: report.numPassedTests, failed, skipped: skipped.length };
}

/** Prints the counts as the last line, writes them to `.cache/test-counts-TIER.json`, and sets the exit code. */
export function tell(tier: 'fast' | 'slow', { passed, failed, skipped }: Counts): void {
  writeFileSync(join(cache, `test-counts-${tier}.json`), JSON.stringify({ passed, failed, skipped }));
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
