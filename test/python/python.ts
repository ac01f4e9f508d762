/**
 * The Python that comparisons with other implementations run in: `.cache/python-venv`, made by `npm run test:python`. Without
 * it the comparisons are skipped, and say so.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

const REPOSITORY = join(import.meta.dirname, '..', '..');
export const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
export const ENVIRONMENT = join(REPOSITORY, '.cache', 'python-venv');
/** Copy of the requirements, written when all of them are installed. */
export const INSTALLED = join(ENVIRONMENT, 'installed.txt');
/** PyTorch takes seconds to load, and minutes on a cold disk. */
const TIME_MS_MAX = 300_000;
const OUTPUT_CHARS_MAX = 64 * 1024 * 1024;

export const interpreter = join(ENVIRONMENT, 'bin', 'python');

/** Whether everything is installed, in the versions asked for now. */
export function isInstalled(): boolean {
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === readFileSync(REQUIREMENTS, 'utf8');
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
