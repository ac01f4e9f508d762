/** The thread of `check-in-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import { type CheckRequest, checkExport } from './check-export.ts';
import type { ThreadAnswer } from './check-in-thread.ts';

async function answer(): Promise<ThreadAnswer> {
  try {
    return { kind: 'report', report: await checkExport(workerData as CheckRequest) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'error', message: error.message, advice: error.advice };
  }
}

parentPort?.postMessage(await answer());
