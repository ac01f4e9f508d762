/**
 * Lean with a Lake project added to our library: the environment for checking proofs over Mathlib. The project's
 * modules are used as they are, so Lean must be the version that compiled them.
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

/** The variables of a process that looks for Lean: where no Lean is named, the one that elan has for the project is. */
export async function variablesForProject(
  project: LakeProject,
  variables: NodeJS.ProcessEnv = process.env,
): Promise<NodeJS.ProcessEnv> {
  if (variables[LEAN_VARIABLE]) return variables;
  const elan = variables.ELAN_HOME || join(homedir(), '.elan');
  // As elan names its folders: `leanprover/lean4:v4.28.0` is `leanprover--lean4---v4.28.0`.
  const folder = project.toolchain.replaceAll('/', '--').replaceAll(':', '---');
  const executable = join(elan, 'toolchains', folder, 'bin', 'lean');
  return (await isThere(executable)) ? { ...variables, [LEAN_VARIABLE]: executable } : variables;
}

/**
 * The environment with the project's modules after its own; none of them is loaded.
 * @throws StpError STP1201 where its Lean is not the project's
 */
export function joinProject(environment: LeanEnvironment, project: LakeProject): LeanEnvironment {
  const [wanted, used] = [project.toolchain, environment.version].map((text) => RELEASE.exec(text)?.[0]);
  // A nightly has no number: the import tells.
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
 * As `joinProject`, after a try to load a module of the project.
 * @throws StpError STP1201 where its Lean is not the project's, or cannot load a module of it
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
