/** Entry point of a worker that only checks proofs: for a node with Lean, without accelerator or model. */
import { startWorker } from './start.ts';

await startWorker(['lean']);
