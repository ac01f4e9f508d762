/** Runs vitest for `npm test` and `npm run test:slow`, and writes what it came to where CI adds it up. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

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

/** `name` is that of the file of results in `.cache`, without its ending. */
export async function runVitest(name: string, args: readonly string[]): Promise<Counts> {
  const results = join(cache, `${name}.json`);
  mkdirSync(cache, { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const clean = await runShown(['vitest', 'run', ...reporters, ...args]);
  const report = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
  };
  // A file that cannot be loaded, or an error outside any test, fails the run without failing a test.
  const failed = report.numFailedTests === 0 && !clean ? 1 : report.numFailedTests;
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests };
}

/** Prints the counts as the last line, writes them to `.cache/test-counts-TIER.json`, and sets the exit code. */
export function tell(tier: 'fast' | 'slow', { passed, failed, skipped }: Counts): void {
  writeFileSync(join(cache, `test-counts-${tier}.json`), JSON.stringify({ passed, failed, skipped }));
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
