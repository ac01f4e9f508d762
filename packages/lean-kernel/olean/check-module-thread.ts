/** The thread of `check-module-in-thread.ts`: handles one request at a time and keeps imports in memory between requests. */
import { parentPort } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import type { ThreadAnswer } from './check-module-in-thread.ts';
import { type ModuleRequest, WarmModuleChecker } from './warm-module-checker.ts';

const checker = new WarmModuleChecker();

function answer(request: ModuleRequest): ThreadAnswer {
  try {
    return { kind: 'report', report: checker.check(request) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'error', message: error.message, advice: error.advice };
  }
}

parentPort?.on('message', (request: ModuleRequest) => parentPort?.postMessage(answer(request)));
