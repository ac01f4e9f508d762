/**
 * `npm run test:python`: installs pinned PyTorch, transformers, peft and what goes with them into `.cache/python-venv` (about
 * two minutes and 6 GB, once), then runs the comparisons of this folder and the trainers' tests against them.
 */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ENVIRONMENT, INSTALLED, interpreter, isInstalled, REQUIREMENTS, systemPython } from './python.ts';

const repository = join(import.meta.dirname, '..', '..');
const inherit = { cwd: repository, stdio: 'inherit', preferLocal: true } as const;

async function install(): Promise<void> {
  const python = systemPython();
  if (python === null) throw new Error('there is no python3: install Python 3.11 or later, or set STP_PYTHON');
  console.log(`Installing into .cache/python-venv with ${python.version}; this takes about two minutes.`);
  rmSync(ENVIRONMENT, { recursive: true, force: true });
  await execa(python.command, ['-m', 'venv', ENVIRONMENT], inherit);
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--requirement', REQUIREMENTS];
  await execa(interpreter, ['-m', 'pip', 'install', ...options], inherit);
  copyFileSync(REQUIREMENTS, INSTALLED);
}

try {
  if (!isInstalled()) await install();
  const tests = ['test/python', 'test/trainers', 'test/infra/weights'];
  const { exitCode } = await execa('vitest', ['run', ...tests, ...process.argv.slice(2)], { ...inherit, reject: false });
  process.exitCode = exitCode ?? 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
