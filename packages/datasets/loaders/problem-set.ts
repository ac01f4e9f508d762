/**
 * A problem set of `data/problems`: its statements, and the Lean module of its definitions. Does not run Lean.
 */
import { fileURLToPath } from 'node:url';

/** Folder of the project's own sets, one subfolder each, named as in a run's configuration. */
export const PROBLEMS_DIRECTORY = fileURLToPath(new URL('../../../data/problems', import.meta.url));
