/** The project's Lean for tests, and the library compiled with it. It is compiled once; later tests use the cache. */
import { fileURLToPath } from 'node:url';
import { compileLibrary, type LeanEnvironment, resolveToolchain, type Toolchain } from '@stp/lean-verifier';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE_DIRECTORY = `${REPOSITORY}.cache`;
export const LIBRARY_DIRECTORY = `${REPOSITORY}data/library`;
export const PROBLEMS_DIRECTORY = `${REPOSITORY}data/problems`;

export function projectToolchain(): Promise<Toolchain> {
  return resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto' });
}

/** Compiles the library with the problem sets, as in a run. */
export async function libraryEnvironment(): Promise<LeanEnvironment> {
  return compileLibrary({
    toolchain: await projectToolchain(),
    sourceDirectories: [
      { directory: LIBRARY_DIRECTORY, modulePrefix: 'Stp' },
      { directory: PROBLEMS_DIRECTORY, modulePrefix: 'Stp.Problems' },
    ],
    cacheDirectory: CACHE_DIRECTORY,
  });
}
