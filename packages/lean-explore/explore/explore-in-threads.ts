/**
 * Explores in worker threads, each with a part of the statements. An exploration computes for minutes, during which the
 * process could otherwise not respond and would use one core.
 */
import { Worker } from 'node:worker_threads';
import type { ModuleToRead, StatedName } from '../context/read-module.ts';
import type { ExploredStatement, ExploreOptions } from './explore-statements.ts';

/** Terms nest as deep as test values, and so does evaluation. The system allocates only the stack that is used. */
const STACK_MEBIBYTES = 64;
const HEAP_MEBIBYTES = 4_096;

interface Asked
  extends Omit<ModuleToRead, 'source'>,
    Pick<ExploreOptions, 'seed' | 'random' | 'coreEquivalents' | 'coreFunctions' | 'limits'> {
  /** Source text of each module, by the module's name. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ThreadRequest extends Asked {
  readonly stated: readonly StatedName[];
}

export interface ThreadOptions extends Asked {
  readonly threads: number;
  readonly signal: AbortSignal;
}

/** Explores like `exploreModule`, in threads. If a thread runs out of memory, the whole call fails. */
export async function exploreInThreads(
  stated: readonly StatedName[],
  { threads, signal, ...asked }: ThreadOptions,
): Promise<ExploredStatement[]> {
  const size = Math.ceil(stated.length / threads);
  const shares = Array.from({ length: threads }, (_, index) => stated.slice(index * size, (index + 1) * size));
  const ended = new AbortController();
  try {
    const found = shares.map((share) =>
      share.length === 0 ? [] : exploreOn({ ...asked, stated: share }, AbortSignal.any([signal, ended.signal])),
    );
    return (await Promise.all(found)).flat();
  } finally {
    ended.abort();
  }
}

function exploreOn(request: ThreadRequest, signal: AbortSignal): Promise<ExploredStatement[]> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./explore-thread.ts', import.meta.url), {
    workerData: request,
    resourceLimits: { stackSizeMb: STACK_MEBIBYTES, maxOldGenerationSizeMb: HEAP_MEBIBYTES },
  });
  return new Promise<ExploredStatement[]>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason);
      void worker.terminate();
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the exploration ended without an answer')));
  });
}
