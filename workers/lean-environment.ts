/** Lean on this machine, with the compiled library of the project. Every command that uses Lean starts here. */
import {
  compileLibrary,
  joinProject,
  type LeanEnvironment,
  readLakeProject,
  resolveToolchain,
  variablesForProject,
  withProject,
} from '@stp/lean-verifier';
import type { WorkerSettings } from './settings.ts';
import { SOURCE_DIRECTORIES } from './source-directories.ts';

/**
 * Installs Lean and compiles the library if necessary, with a progress line for each; with the modules of a Lake
 * project if one is configured.
 */
export async function leanEnvironment(
  settings: WorkerSettings,
  onProgress: (line: string) => void,
  signal?: AbortSignal,
  /** `untried`: no module of the project is imported as a test. */
  modules: 'tried' | 'untried' = 'tried',
): Promise<LeanEnvironment> {
  const { cacheDirectory, leanProject } = settings;
  const cancel = signal ? { signal } : {};
  const project = leanProject === null ? null : await readLakeProject(leanProject);
  const environment = project === null ? process.env : await variablesForProject(project);
  const toolchain = await resolveToolchain({ cacheDirectory, install: 'auto', environment, onProgress, ...cancel });
  const library = await compileLibrary({
    toolchain,
    sourceDirectories: SOURCE_DIRECTORIES,
    cacheDirectory,
    onProgress: ({ module, done, total }) => onProgress(`Lean library: ${module} (${done} of ${total})`),
    ...cancel,
  });
  if (project === null) return library;
  return modules === 'tried' ? withProject(library, project, signal) : joinProject(library, project);
}
