/** The Lean of this machine with the project's library compiled. Every command that uses Lean starts here. */
import { compileLibrary } from '../lean/library/compile.ts';
import { variablesForProject, withProject } from '../lean/library/project-environment.ts';
import { readLakeProject } from '../lean/toolchain/lake-project.ts';
import { resolveToolchain } from '../lean/toolchain/resolve.ts';
import type { LeanEnvironment } from '../lean/verifier.ts';
import type { WorkerSettings } from './settings.ts';
import { SOURCE_DIRECTORIES } from './source-directories.ts';

/** Gets Lean and compiles the library if that is not done, with a progress line each; a Lake project's modules beside it. */
export async function leanEnvironment(
  settings: WorkerSettings,
  onProgress: (line: string) => void,
  signal?: AbortSignal,
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
  return project === null ? library : withProject(library, project, signal);
}
