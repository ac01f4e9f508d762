/** Entry point of a laptop's one worker process: control and host together. */
import { startWorker } from './start.ts';

await startWorker(['control', 'host']);
