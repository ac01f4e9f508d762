/**
 * The Python that Kimina's client runs in: `.cache/kimina-venv`, made when it is asked for (60 MB, a quarter of a minute, once).
 * Where pip cannot get the packages in time, the comparison is skipped and says why.
 */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { systemPython } from './python.ts';

const ENVIRONMENT = join(import.meta.dirname, '..', '..', '.cache', 'kimina-venv');
const REQUIREMENTS = join(import.meta.dirname, 'kimina-requirements.txt');
const INSTALLED = join(ENVIRONMENT, 'installed.txt');
const PYTHON = join(ENVIRONMENT, 'bin', 'python');
const INSTALL_MS_MAX = 180_000;
const RUN_MS_MAX = 180_000;

/** Null, after saying why, where the packages are not to be had; else what runs a script of this folder on JSON. */
export async function kiminaPython(): Promise<((script: string, input: unknown) => Promise<unknown>) | null> {
  const problem = isInstalled() ? null : await install();
  if (problem !== null) {
    console.log(`skipped: the published client of Kimina's server (${problem})`);
    return null;
  }
  return async (script, input) => {
    const { stdout } = await execa(PYTHON, [join(import.meta.dirname, script)], {
      input: JSON.stringify(input),
      timeout: RUN_MS_MAX,
      env: { PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '127.0.0.1' },
    });
    return JSON.parse(stdout);
  };
}

function isInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(REQUIREMENTS, 'utf8');
}

/** What is in the way, in a line. */
async function install(): Promise<string | null> {
  const python = systemPython();
  if (python === null) return 'there is no python3';
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps'];
  try {
    rmSync(ENVIRONMENT, { recursive: true, force: true });
    await execa(python.command, ['-m', 'venv', ENVIRONMENT], { timeout: INSTALL_MS_MAX });
    await execa(PYTHON, [...pip, '--requirement', REQUIREMENTS], { timeout: INSTALL_MS_MAX });
    copyFileSync(REQUIREMENTS, INSTALLED);
    return null;
  } catch (error) {
    return `its packages could not be installed: ${String((error as Error).message).split('\n')[0]}`;
  }
}
