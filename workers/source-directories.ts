/** The folders whose Lean files are this project's library. */
import { join } from 'node:path';
import { DATA } from './settings.ts';

export const SOURCE_DIRECTORIES = [
  { directory: join(DATA, 'library'), modulePrefix: 'Stp' },
  { directory: join(DATA, 'problems'), modulePrefix: 'Stp.Problems' },
] as const;
