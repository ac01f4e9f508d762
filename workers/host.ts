/** Entry point of the host worker: models and Lean; one on every node that has both. */
import { startWorker } from './start.ts';

await startWorker(['host', 'lean']);
