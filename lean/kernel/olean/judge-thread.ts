/** The thread of `judge-in-thread.ts`: handles one request at a time and keeps warm imports between requests. */
import { parentPort } from 'node:worker_threads';
import { StpError } from '../../../data/errors.ts';
import type { ThreadAnswer } from './judge-in-thread.ts';
import { ModuleJudge, type ModuleRequest } from './module-judge.ts';

const judge = new ModuleJudge();

function answer(request: ModuleRequest): ThreadAnswer {
  try {
    return { kind: 'report', report: judge.check(request) };
  } catch (error) {
    if (!(error instanceof StpError)) throw error;
    return { kind: 'error', code: error.code, message: error.message, advice: error.advice };
  }
}

parentPort?.on('message', (request: ModuleRequest) => parentPort?.postMessage(answer(request)));
