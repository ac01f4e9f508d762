/**
 * Adds a Lake project to our library: the environment for checking proofs over Mathlib. The project's modules are used
 * as they are, so the Lean in use must be the version that compiled them.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StpError } from '@stp/base';
import { isThere } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import { LEAN_VARIABLE } from '../toolchain/find.ts';
import { type LakeProject, PROJECT_VARIABLE, smallestModule } from '../toolchain/lake-project.ts';
import type { LeanEnvironment } from '../verifier.ts';
import { leanMessages } from './lean-messages.ts';

const IMPORT_DEADLINE_MS = 300_000;
const RELEASE = /\d+\.\d+\.\d+(-rc\d+)?/;

/**
 * Returns the environment variables for finding Lean. If they name no Lean, they get the project's version as installed
 * by elan.
 */
export async function variablesForProject(
  project: LakeProject,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<NodeJS.ProcessEnv> {
  if (variables[LEAN_VARIABLE]) return variables;
  const elan = variables.ELAN_HOME || join(homedir(), '.elan');
  // elan replaces separators in folder names: `leanprover/lean4:v4.28.0` becomes `leanprover--lean4---v4.28.0`.
  const folder = project.toolchain.replaceAll('/', '--').replaceAll(':', '---');
  const executable = join(elan, 'toolchains', folder, 'bin', 'lean');
  return (await isThere(executable)) ? { ...variables, [LEAN_VARIABLE]: executable } : variables;
}

/**
 * Appends the project's modules to the environment's search path and loads none of them.
 * @throws StpError STP1201 if the environment's Lean is not the project's version
 */
export function joinProject(environment: LeanEnvironment, project: LakeProject): LeanEnvironment {
  const [wanted, used] = [project.toolchain, environment.version].map((text) => RELEASE.exec(text)?.[0]);
  // A nightly has no version number; importing a module shows whether it fits.
  if (wanted !== undefined && wanted !== used)
    throw wrongLean(
      environment,
      project,
      `it asks for ${project.toolchain}, the Lean in use is ${environment.version}`,
    );
  return {
    ...environment,
    version: `${environment.version}, ${project.version}`,
    searchPath: [...environment.searchPath, ...project.searchPath],
    fingerprint: contentId('library and project', environment.fingerprint, project.identity),
    project: project.identity,
    projectModules: { folders: project.searchPath, marks: project.marks },
  };
}

/**
 * Does the same as `joinProject`, then imports a module of the project as a test.
 * @throws StpError STP1201 if the environment's Lean is not the project's version, or cannot import the module
 */
export async function withProject(
  environment: LeanEnvironment,
  project: LakeProject,
  signal?: AbortSignal,
): Promise<LeanEnvironment> {
  const joined = joinProject(environment, project);
  const module = await smallestModule(project.searchPath);
  if (module !== null) {
    const run = await leanMessages({
      executable: environment.executable,
      arguments: ['--stdin'],
      searchPath: [...project.searchPath],
      input: `import ${module}\n`,
      deadlineMs: IMPORT_DEADLINE_MS,
      ...(signal && { signal }),
    });
    const why = run.messages.find(({ severity }) => severity === 'error')?.text ?? run.rest.trim();
    if (run.exitCode !== 0) throw wrongLean(environment, project, `\`import ${module}\` fails: ${why || 'no message'}`);
  }
  return joined;
}

function wrongLean(environment: LeanEnvironment, project: LakeProject, why: string): StpError {
  return new StpError(
    'STP1201',
    `the Lake project ${project.directory} cannot be used with ${environment.executable}: ${why}`,
    `Set ${LEAN_VARIABLE} to the lean of ${project.toolchain}, or ${PROJECT_VARIABLE} to a project built with the Lean in use.`,
  );
}
