import { join } from 'node:path';

/** The `stp` command that experiments run. */
export const STP = join(import.meta.dirname, '..', '..', 'bin', 'stp');

/** Options for its runs: their progress and failures go to the experiment's standard error. */
export const SHOWN = { stdio: ['ignore', process.stderr, 'inherit'] } as const;
