/** Entry point for tests and benchmarks of other packages. Production code imports `index.ts`. */
export type { FilePositions } from './step/open-file.ts';
export { LIBRARY_DIRECTORY, libraryEnvironment, projectToolchain } from './testing/library.ts';
export { errorsOf, problemEnvironment, runSnippets, type Snippet } from './testing/problems.ts';
