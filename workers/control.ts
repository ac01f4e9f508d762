/** Entry point of the control worker, which runs workflows and short activities. Any number of them may run. */
import { startWorker } from './start.ts';

await startWorker(['control']);
