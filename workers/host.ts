/** Entry point of the host worker, which runs models and Lean. Every node that has both runs one. */
import { startWorker } from './start.ts';

await startWorker(['host', 'lean']);
