import { join } from 'node:path';

/** The `stp` command that experiments run. */
export const STP = join(import.meta.dirname, '..', '..', 'bin', 'stp');

/** For its runs: progress goes where the experiment's own does, and so does a failure that waits for a person. */
export const SHOWN = { stdio: ['ignore', process.stderr, 'inherit'] } as const;
