/**
 * A problem set of `data/problems`: its statements, and the Lean module of its definitions. Knows the folder's files;
 * does not run Lean.
 */
import { fileURLToPath } from 'node:url';

/** Where the sets that come with the project are, a folder each, named as in a run's configuration. */
export const PROBLEMS_DIRECTORY = fileURLToPath(new URL('../../../data/problems', import.meta.url));
