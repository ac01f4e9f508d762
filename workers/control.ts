/** Entry point of the control worker: workflows and short activities; any number may run. */
import { startWorker } from './start.ts';

await startWorker(['control']);
