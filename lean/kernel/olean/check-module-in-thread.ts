/**
 * The check of a compiled module on a thread of its own, with a stack for deep terms. A thread that exceeds its heap or its
 * time ends, and the check is declined.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, StpError } from '../../../data/errors.ts';
import type { ModuleRequest } from './check-module.ts';
import type { ModuleReport } from './report.ts';

/** As for exports (`run/check-in-thread.ts`). */
const STACK_MEBIBYTES = 256;
/** Objects of JavaScript; terms and files lie outside it, bounded by the limits of the kernel and of the library. */
const HEAP_MEBIBYTES = 4_096;

export type ModuleAnswer =
  | { readonly kind: 'report'; readonly report: ModuleReport }
  | { readonly kind: 'error'; readonly code: ErrorCode; readonly message: string; readonly advice: string };

interface ThreadBounds {
  /** Wall time; without it none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Rejects with an `StpError` STP1801 for what is no compiled module, or with the signal's reason. */
export function checkModuleInThread(request: ModuleRequest, bounds: ThreadBounds = {}): Promise<ModuleReport> {
  const { timeoutMs, signal } = bounds;
  return new Promise<ModuleReport>((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL('./module-thread.ts', import.meta.url), {
      workerData: request,
      resourceLimits: { stackSizeMb: STACK_MEBIBYTES, maxOldGenerationSizeMb: HEAP_MEBIBYTES },
    });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            resolve(declinedReport(`not decided within ${timeoutMs} ms`));
            void worker.terminate();
          }, timeoutMs);
    const abort = (): void => {
      reject(signal?.reason);
      void worker.terminate();
    };
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('message', (answer: ModuleAnswer) => {
      if (answer.kind === 'report') resolve(answer.report);
      else reject(new StpError(answer.code, answer.message, answer.advice));
    });
    worker.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve(declinedReport(`more than ${HEAP_MEBIBYTES} MiB of memory`));
      else reject(error);
    });
    worker.once('exit', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      reject(new StpError('STP1801', 'the check ended without a verdict', 'Run the check again.'));
    });
  });
}

function declinedReport(reason: string): ModuleReport {
  return {
    verdict: 'declined',
    declarations: 0,
    setAside: 0,
    theorems: [],
    rejected: [],
    declined: [{ declaration: '', reason }],
  };
}
