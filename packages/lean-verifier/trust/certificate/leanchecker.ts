/**
 * `leanchecker MODULE`: Lean's own replay, included with Lean since 4.28. It passes every declaration of the compiled
 * module to the kernel again, on top of the module's imports, so it finds declarations that were added to the
 * environment without the kernel. It uses the same kernel, so it does not find faults of the kernel.
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { StpError } from '@stp/base';
import type { ProcessContext } from '../../runtime/process/spawn.ts';
import { findOnPath } from '../../toolchain/search-path.ts';
import type { Checker } from './checker.ts';
import { answerOf, isExecutable, programVersion, runTool } from './run-tool.ts';

const NAME = 'leanchecker';
/**
 * Environment variable with the absolute path of the program. If it is set, nothing else is tried. Empty: no
 * leanchecker is used. A path without a program is an error, since somebody relies on it.
 */
const VARIABLE = 'STP_LEANCHECKER';

export const leanchecker: Checker = {
  name: NAME,
  async version(processContext) {
    const program = await find(processContext);
    const named = process.env[VARIABLE] ?? '';
    if (program === null && named !== '')
      throw new StpError(
        'STP1201',
        `${VARIABLE} names no program that can be run: ${named}`,
        `Give ${VARIABLE} an absolute path, or leave it unset: then leanchecker is searched beside Lean and on PATH.`,
      );
    return programVersion(program);
  },
  async check(file) {
    const program = await find(file.processContext);
    if (program === null) return { outcome: 'failed', detail: 'it is gone' };
    const exit = await runTool(file, { command: [program, file.module], workingDirectory: file.directory });
    return answerOf(exit, [1]);
  },
};

/** Finds the program by the variable, next to `lean`, or on PATH. Null if it is absent. */
async function find({ environment: { executable } }: ProcessContext): Promise<string | null> {
  const named = process.env[VARIABLE];
  if (named !== undefined) return isAbsolute(named) && (await isExecutable(named)) ? named : null;
  for (const folder of new Set([dirname(executable), dirname(resolved(executable))]))
    if (await isExecutable(join(folder, NAME))) return join(folder, NAME);
  return (await findOnPath(NAME, process.env)) ?? null;
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
