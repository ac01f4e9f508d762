/**
 * Checks exports on a separate thread, with a stack for deep terms. `resourceLimits` limits its heap. A thread that
 * exceeds the limit ends, and its check is declined.
 */
import { Worker } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import type { CheckRequest } from './check-export.ts';
import type { KernelReport } from './report.ts';

/**
 * Enough for the nested calls and the height of terms that the limits allow; tests verify this. Only the used part is
 * allocated.
 */
const STACK_MEBIBYTES = 2_048;
const HEAP_MEBIBYTES = 8_192;

export type ThreadAnswer =
  | { readonly kind: 'report'; readonly report: KernelReport }
  | { readonly kind: 'error'; readonly message: string; readonly advice: string };

/** Rejects with an `InputError` for files that are not exports. */
export function checkInThread(request: CheckRequest): Promise<KernelReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./kernel-thread.ts', import.meta.url), {
      workerData: request,
      resourceLimits: { stackSizeMb: STACK_MEBIBYTES, maxOldGenerationSizeMb: HEAP_MEBIBYTES },
    });
    worker.once('message', (answer: ThreadAnswer) => {
      if (answer.kind === 'report') resolve(answer.report);
      else reject(new InputError(answer.message, answer.advice));
    });
    worker.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(outOfMemory());
      else reject(error);
    });
  });
}

function outOfMemory(): KernelReport {
  return {
    verdict: 'declined',
    constants: 0,
    declarations: 0,
    theorems: [],
    axioms: [],
    rejected: [],
    declined: [{ declaration: '', reason: `more than ${HEAP_MEBIBYTES} MiB of memory` }],
    steps: { most: 0, all: 0 },
    nodes: { most: 0, permanent: 0 },
  };
}
