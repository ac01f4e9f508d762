/** Entry point of a worker that only checks: a node with Lean and neither accelerator nor model. */
import { startWorker } from './start.ts';

await startWorker(['lean']);
