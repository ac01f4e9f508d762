/**
 * Checks compiled modules on a thread of this process, which reads modules and runs none of their code. One thread
 * checks all modules, one at a time, and keeps its caches between them; it ends after an idle time. A thread that
 * exceeds its heap or its time also ends, and its check is declined.
 */
import { Worker } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import { declinedReport, type ModuleReport } from './report.ts';
import type { ModuleRequest } from './warm-module-checker.ts';

/**
 * Address space of the stack; only the used part is allocated. Terms nested 100,000 deep need less than a tenth of it,
 * and the kernel's limits (`budget.ts`) end a check before it is exhausted.
 */
const STACK_MEBIBYTES = 2_048;
/**
 * JavaScript objects. Terms and files are outside this heap, and bounded by the limits of the kernel and of the
 * library.
 */
const HEAP_MEBIBYTES = 4_096;
/** An idle thread keeps some hundred megabytes. */
const IDLE_MS = 60_000;

export type ThreadAnswer =
  | { readonly kind: 'report'; readonly report: ModuleReport }
  | { readonly kind: 'error'; readonly message: string; readonly advice: string };

interface Bounds {
  /** Wall-time limit, ms. Missing: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

let thread: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
let before: Promise<unknown> = Promise.resolve();

/** Rejects with an `InputError` for a file that is not a compiled module, or with the signal's reason. */
export function checkModuleInThread(request: ModuleRequest, bounds: Bounds = {}): Promise<ModuleReport> {
  const checked = before.then(() => checkNow(request, bounds));
  before = checked.catch(() => {});
  return checked;
}

function checkNow(request: ModuleRequest, { timeoutMs, signal }: Bounds): Promise<ModuleReport> {
  signal?.throwIfAborted();
  clearTimeout(idle);
  thread ??= start();
  const worker = thread;
  // A working thread keeps this process alive; an idle one does not.
  worker.ref();
  return new Promise<ModuleReport>((resolve, reject) => {
    const end = (): void => {
      if (thread === worker) thread = null;
      void worker.terminate();
    };
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            settle();
            resolve(declinedReport(`not decided within ${timeoutMs} ms`));
            end();
          }, timeoutMs);
    const onAbort = (): void => {
      settle();
      reject(signal?.reason);
      end();
    };
    const onMessage = (answer: ThreadAnswer): void => {
      settle();
      worker.unref();
      idle = setTimeout(end, IDLE_MS);
      idle.unref();
      if (answer.kind === 'report') resolve(answer.report);
      else reject(new InputError(answer.message, answer.advice));
    };
    const onError = (error: Error & { code?: string }): void => {
      settle();
      end();
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        resolve(declinedReport(`more than ${HEAP_MEBIBYTES} MiB of memory`));
      else reject(error);
    };
    const onExit = (): void => {
      settle();
      end();
      reject(new InputError('the check ended without a verdict', 'Run the check again.'));
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(request);
  });
}

function start(): Worker {
  const worker = new Worker(new URL('./check-module-thread.ts', import.meta.url), {
    resourceLimits: { stackSizeMb: STACK_MEBIBYTES, maxOldGenerationSizeMb: HEAP_MEBIBYTES },
  });
  // If an idle thread ends, the next request starts another.
  worker.on('error', () => {});
  worker.on('exit', () => {
    if (thread === worker) thread = null;
  });
  return worker;
}
