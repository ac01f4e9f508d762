/** The thread of `judge-in-thread.ts`: handles one request at a time and keeps imports in memory between requests. */
import { parentPort } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import type { ThreadAnswer } from './judge-in-thread.ts';
import { ModuleJudge, type ModuleRequest } from './module-judge.ts';

const judge = new ModuleJudge();

function answer(request: ModuleRequest): ThreadAnswer {
  try {
    return { kind: 'report', report: judge.check(request) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'error', message: error.message, advice: error.advice };
  }
}

parentPort?.on('message', (request: ModuleRequest) => parentPort?.postMessage(answer(request)));
