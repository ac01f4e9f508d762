import { join } from 'node:path';

/** The command that experiments run, as a person would. */
export const STP = join(import.meta.dirname, '..', '..', 'bin', 'stp');

/** For its runs: progress goes where the experiment's own does, and so does a failure that waits for a person. */
export const SHOWN = { stdio: ['ignore', process.stderr, 'inherit'] } as const;
