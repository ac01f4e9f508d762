/** Entry point of a laptop's one worker process: control, host and Lean together. */
import { startWorker } from './start.ts';

await startWorker(['control', 'host', 'lean']);
