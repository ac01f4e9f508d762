/** The ports that read statements as Lean elaborates them: the names that proofs may use, and equations that hold. */
import {
  type ContextTask,
  deeperLimits,
  exploreInThreads,
  readStatements,
  statementContexts,
  testEquations,
  unexplored,
  untested,
} from '@stp/lean-explore';
import { LIBRARY_HEADER } from '@stp/lean-verifier';
import type { Ports, Sources, VerificationLimits } from '../activities/ports.ts';
import { explored } from './explored.ts';
import type { RunContext } from './run-context.ts';

export function readingPorts(
  { settings: { cacheDirectory }, environment, objectJudge, mark, scratch, sandboxFor }: RunContext,
  sources: Pick<Sources, 'modules'>,
): Pick<Ports, 'contexts' | 'explore' | 'testEquations'> {
  const moduleTexts = async (): Promise<Map<string, string>> =>
    new Map((await sources.modules()).map(({ module, text }) => [module, text]));
  const contextTask = async (
    run: string,
    limits: Pick<VerificationLimits, 'sandbox' | 'memoryBytesMax'>,
    texts: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<ContextTask> => {
    const [sandbox, scratchDirectory] = [await sandboxFor(limits.sandbox), await scratch(run)];
    return {
      processContext: { environment, workingDirectory: scratchDirectory, runMark: mark(run, 'lean'), sandbox },
      libraryHeader: LIBRARY_HEADER,
      scratchDirectory,
      memoryBytesMax: limits.memoryBytesMax,
      indexFolder: objectJudge.indexFolder,
      source: (module) => texts.get(module) ?? null,
      signal,
    };
  };
  return {
    contexts: async (run, statements, limits, signal) =>
      statementContexts(statements, await contextTask(run, limits, await moduleTexts(), signal)),
    async explore(run, statements, { processes, sandbox, memoryBytesMax, ...how }, signal) {
      const { fingerprint } = environment;
      return explored(statements, { cacheDirectory, fingerprint, ...how }, async (open) => {
        const texts = await moduleTexts();
        const { deeper, ...others } = how;
        const asked = { ...others, texts, limits: deeperLimits(deeper), threads: processes, signal };
        return readStatements(open, await contextTask(run, { sandbox, memoryBytesMax }, texts, signal), {
          read: (stated, { source: _, ...module }) => exploreInThreads(stated, { ...module, ...asked }),
          unread: unexplored,
        });
      });
    },
    testEquations: async (run, asked, { seed, ...limits }, signal) =>
      readStatements(asked, await contextTask(run, limits, await moduleTexts(), signal), {
        read: (stated, module) => testEquations(asked, stated, { ...module, seed, signal }),
        unread: untested,
      }),
  };
}
