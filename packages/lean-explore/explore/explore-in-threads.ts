/**
 * Explores on threads of this process, each with a share of the statements: an exploration is minutes of evaluation, in which the
 * process would answer nobody and one core would work.
 */
import { Worker } from 'node:worker_threads';
import type { ModuleToRead, StatedName } from '../context/read-module.ts';
import type { ExploredStatement, ExploreOptions } from './explore-statements.ts';

/** Terms nest as deep as test values, and evaluation nests in them. Only what is used is allocated. */
const STACK_MEBIBYTES = 64;
const HEAP_MEBIBYTES = 4_096;

interface Asked
  extends Omit<ModuleToRead, 'source'>,
    Pick<ExploreOptions, 'seed' | 'random' | 'coreEquivalents' | 'coreFunctions' | 'limits'> {
  /** The text of each module from which it was compiled, under the module's name. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ThreadRequest extends Asked {
  readonly stated: readonly StatedName[];
}

export interface ThreadOptions extends Asked {
  readonly threads: number;
  readonly signal: AbortSignal;
}

/** Explores as `exploreModule` does, in threads. A thread that needs more memory than it has fails the whole. */
export async function exploreInThreads(
  stated: readonly StatedName[],
  { threads, signal, ...asked }: ThreadOptions,
): Promise<ExploredStatement[]> {
  const size = Math.ceil(stated.length / threads);
  const shares = Array.from({ length: threads }, (_, place) => stated.slice(place * size, (place + 1) * size));
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
