/**
 * `leanchecker MODULE`: Lean's own replay. Every declaration of the compiled module goes through the kernel once more, over
 * what it imports, so nothing that a program put into the environment past the kernel survives. The same kernel: no help
 * against its own faults.
 */
import type { Checker } from './checker.ts';
import { findTool, LEANCHECKER } from './find-tools.ts';
import { answerOf, programVersion, runTool } from './run-tool.ts';

export const leanchecker: Checker = {
  name: 'leanchecker',
  version: async (place) => programVersion(await findTool(LEANCHECKER, place)),
  async check(file) {
    const program = await findTool(LEANCHECKER, file.place);
    if (program === null) return { outcome: 'failed', detail: 'it is gone' };
    const exit = await runTool(file, { command: [program, file.module], workingDirectory: file.directory });
    return answerOf(exit, { refuses: [1] });
  },
};
