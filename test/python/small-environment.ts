/**
 * Small Python environments (tens of MB), made under `.cache` in a quarter of a minute when a test first needs one. If
 * pip cannot get the packages in time, the test is skipped with the reason.
 */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { systemPython } from './python.ts';

const INSTALL_MS_MAX = 180_000;
const RUN_MS_MAX = 180_000;

/** Runs a script of this folder, or one by its whole path, on JSON. */
type RunScript = (script: string, input: unknown) => Promise<unknown>;

/**
 * Returns the environment's Python. Without its packages prints the reason and returns null.
 *
 * @param name name of the environment; its packages are in `NAME-requirements.txt`
 * @param what test that is skipped without the packages
 */
export async function smallInterpreter(name: string, what: string): Promise<string | null> {
  const environment = join(import.meta.dirname, '..', '..', '.cache', `${name}-venv`);
  const requirements = join(import.meta.dirname, `${name}-requirements.txt`);
  const problem = isInstalled(environment, requirements) ? null : await install(environment, requirements);
  if (problem === null) return join(environment, 'bin', 'python');
  console.log(`skipped: ${what} (${problem})`);
  return null;
}

/** Returns a function that runs scripts in the environment; otherwise like `smallInterpreter`. */
export async function smallPython(name: string, what: string): Promise<RunScript | null> {
  const interpreter = await smallInterpreter(name, what);
  if (interpreter === null) return null;
  return async (script, input) => {
    const { stdout } = await execa(interpreter, [resolve(import.meta.dirname, script)], {
      input: JSON.stringify(input),
      timeout: RUN_MS_MAX,
      env: { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1' },
    });
    return JSON.parse(stdout);
  };
}

/** Returns the path of a copy of the requirements, written when all of them are installed. */
const installedIn = (environment: string): string => join(environment, 'installed.txt');

function isInstalled(environment: string, requirements: string): boolean {
  const installed = installedIn(environment);
  return existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(requirements, 'utf8');
}

/** Installs the packages. Returns null, or the problem in one line. */
async function install(environment: string, requirements: string): Promise<string | null> {
  const python = systemPython();
  if (python === null) return 'there is no python3';
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps'];
  try {
    rmSync(environment, { recursive: true, force: true });
    await execa(python.command, ['-m', 'venv', environment], { timeout: INSTALL_MS_MAX });
    await execa(join(environment, 'bin', 'python'), [...pip, '--requirement', requirements], {
      timeout: INSTALL_MS_MAX,
    });
    copyFileSync(requirements, installedIn(environment));
    return null;
  } catch (error) {
    return `its packages could not be installed: ${String((error as Error).message).split('\n')[0]}`;
  }
}
