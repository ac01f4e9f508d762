/** The thread of `check-in-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { StpError } from '../../../data/errors.ts';
import { type CheckRequest, checkExport } from './check-export.ts';
import type { ThreadAnswer } from './check-in-thread.ts';

async function answer(): Promise<ThreadAnswer> {
  try {
    return { kind: 'report', report: await checkExport(workerData as CheckRequest) };
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    return { kind: 'error', code: error.code, message: error.message, advice: error.advice };
  }
}

parentPort?.postMessage(await answer());
