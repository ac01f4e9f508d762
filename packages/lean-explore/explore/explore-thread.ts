/** The worker thread of `explore-in-threads.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadRequest } from './explore-in-threads.ts';
import { exploreModule } from './explore-statements.ts';

const { stated, texts, ...options } = workerData as ThreadRequest;
parentPort?.postMessage(await exploreModule(stated, { ...options, source: (module) => texts.get(module) ?? null }));
