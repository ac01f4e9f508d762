/**
 * The Python that comparisons with other implementations run in: `.cache/python-venv`, made by `npm run test:python`. Without
 * it the comparisons are skipped, and say so.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

const REPOSITORY = join(import.meta.dirname, '..', '..');
export const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const ENVIRONMENT = join(REPOSITORY, '.cache', 'python-venv');
/** Copy of the requirements, written when all of them are installed. */
const INSTALLED = join(ENVIRONMENT, 'installed.txt');
/** PyTorch takes seconds to load, and minutes on a cold disk. */
const TIME_MS_MAX = 300_000;
/** Six gigabytes. */
const INSTALL_MS_MAX = 1_800_000;
const OUTPUT_CHARS_MAX = 64 * 1024 * 1024;

export const interpreter = join(ENVIRONMENT, 'bin', 'python');

/** Whether everything is installed, in the versions asked for now. */
export function isInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(REQUIREMENTS, 'utf8');
}

/** Installs everything anew. Throws where there is no Python, or pip cannot get the packages. */
export async function installPython(): Promise<void> {
  const python = systemPython();
  if (python === null) throw new Error('there is no python3: install Python 3.11 or later, or set STP_PYTHON');
  console.log(`Installing into .cache/python-venv with ${python.version}; this takes about two minutes.`);
  rmSync(ENVIRONMENT, { recursive: true, force: true });
  const options = { stdio: 'inherit', timeout: INSTALL_MS_MAX } as const;
  await execa(python.command, ['-m', 'venv', ENVIRONMENT], options);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--requirement', REQUIREMENTS];
  await execa(interpreter, ['-m', 'pip', 'install', ...quiet], options);
  copyFileSync(REQUIREMENTS, INSTALLED);
}

/** True, after saying why, where a comparison cannot run here. */
export function skipsPython(what: string): boolean {
  if (isInstalled()) return false;
  console.log(`skipped: ${what} (no Python packages to compare with; npm run test:python installs them)`);
  return true;
}

/** Runs a script of this folder: JSON in on standard input, JSON out on standard output. */
export async function runPython(script: string, input: unknown, threads = 1): Promise<unknown> {
  const { stdout } = await execa(interpreter, [join(import.meta.dirname, script)], {
    input: JSON.stringify(input),
    timeout: TIME_MS_MAX,
    maxBuffer: OUTPUT_CHARS_MAX,
    env: {
      OMP_NUM_THREADS: String(threads),
      HF_HUB_OFFLINE: '1',
      TRANSFORMERS_VERBOSITY: 'error',
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  return JSON.parse(stdout);
}

/** Version of the Python that would make the environment, or null if there is no Python. */
export function systemPython(): { readonly command: string; readonly version: string } | null {
  const command = process.env.STP_PYTHON ?? 'python3';
  const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { command, version: stdout.trim() } : null;
}
