import { join } from 'node:path';

/** The command that experiments run, as a person would. */
export const STP = join(import.meta.dirname, '..', '..', 'bin', 'stp');
