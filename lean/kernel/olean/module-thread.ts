/** The thread of `check-module-in-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { StpError } from '../../../data/errors.ts';
import { checkModule, type ModuleRequest } from './check-module.ts';
import type { ModuleAnswer } from './check-module-in-thread.ts';

function answer(): ModuleAnswer {
  try {
    return { kind: 'report', report: checkModule(workerData as ModuleRequest) };
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    return { kind: 'error', code: error.code, message: error.message, advice: error.advice };
  }
}

parentPort?.postMessage(answer());
