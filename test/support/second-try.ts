/**
 * Reporter of `npm test`: names the tests that failed and passed when they were tried once more. Such a test, or what it
 * tests, depends on chance; it does not fail the run, but nobody should have to look for it.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';

const repository = join(import.meta.dirname, '..', '..');
export const SECOND_TRIES = join(repository, '.cache', 'second-tries.json');

export default class SecondTry implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const name = `${relative(repository, test.module.moduleId)} > ${test.fullName}`;
    this.#names.push(name);
    console.log(`FAILED ONCE: ${name}`);
    for (const error of test.result().errors ?? []) console.log(error.stack ?? error.message);
  }

  onTestRunEnd(): void {
    writeFileSync(SECOND_TRIES, JSON.stringify(this.#names));
  }
}
