/** Runs vitest for `npm test` and `npm run test:slow`, and writes the results to the place where CI adds them up. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { SLOW } from './slow-tag.ts';

const repository = join(import.meta.dirname, '../..');
const cache = join(repository, '.cache');

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** One text for each failure: its name, and the beginning of its message. */
  readonly failures: readonly string[];
}

/** Number of lines of a failure that the end of a CI run repeats. */
const FAILURE_LINES = 30;

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly tags: readonly string[];
  readonly failureMessages?: readonly string[];
}

interface Ended {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs a command in the repository; keeps its output and does not show it. */
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

/** Runs a command in the repository and shows its output. */
async function runShown(command: readonly string[]): Promise<boolean> {
  const { exitCode } = await execa(command[0]!, command.slice(1), {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    preferLocal: true,
    reject: false,
  });
  return exitCode === 0;
}

/** Runs the tests of one tier: those with the tag `slow`, or those without. The others are not counted. */
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
    testResults: readonly { name: string; message: string; assertionResults: readonly TestResult[] }[];
  };
  const skipped = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, tags }) => status === 'skipped' && tags.includes(SLOW.name) === (tier === 'slow'));
  // A file that cannot be loaded, or an error outside any test, fails the run without failing a test.
  const failed = report.numFailedTests === 0 && !clean ? 1 : report.numFailedTests;
  const failures = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(repository, name);
    return [
      ...(message === '' ? [] : [failureText(file, message)]),
      ...assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages = [] }) => failureText(`${file} > ${fullName}`, failureMessages.join('\n'))),
    ];
  });
  if (!clean && failures.length === 0)
    failures.push(failureText(`the ${tier} tier`, 'no test has failed; the error is in the output of the tests'));
  return { passed: report.numPassedTests, failed, skipped: skipped.length, failures };
}

/** Returns the name of a failure and the first lines of its message. */
export function failureText(name: string, output: string): string {
  return [`FAILED: ${name}`, ...output.split('\n').slice(0, FAILURE_LINES)].join('\n');
}

/**
 * Prints the counts as the last line, writes them to `.cache/test-counts-TIER.json` and the failures to
 * `.cache/test-failures-TIER.txt`, and sets the exit code.
 */
export function tell(tier: 'fast' | 'slow', { passed, failed, skipped, failures }: Counts): void {
  writeFileSync(join(cache, `test-counts-${tier}.json`), JSON.stringify({ passed, failed, skipped }));
  writeFileSync(join(cache, `test-failures-${tier}.txt`), failures.map((failure) => `${failure}\n`).join(''));
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
