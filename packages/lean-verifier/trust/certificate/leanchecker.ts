/**
 * `leanchecker MODULE`: Lean's own replay, which comes with Lean from 4.28 on. Every declaration of the compiled module goes through
 * the kernel once more, over what it imports, so nothing that a program put into the environment past the kernel survives.
 * The same kernel: no help against its own faults.
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { ProcessPlace } from '../../runtime/process/spawn.ts';
import { findOnPath } from '../../toolchain/search-path.ts';
import type { Checker } from './checker.ts';
import { answerOf, isExecutable, programVersion, runTool } from './run-tool.ts';

const NAME = 'leanchecker';
/** Absolute path of the program. Where it is set nothing else is tried; it may be set to nothing. */
const VARIABLE = 'STP_LEANCHECKER';

export const leanchecker: Checker = {
  name: NAME,
  version: async (place) => programVersion(await find(place)),
  async check(file) {
    const program = await find(file.place);
    if (program === null) return { outcome: 'failed', detail: 'it is gone' };
    const exit = await runTool(file, { command: [program, file.module], workingDirectory: file.directory });
    return answerOf(exit, [1]);
  },
};

/** Named by the variable, beside `lean`, or on PATH; null where it is not there. */
async function find({ environment: { executable } }: ProcessPlace): Promise<string | null> {
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
