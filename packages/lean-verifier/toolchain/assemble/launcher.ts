/**
 * Makes `bin/lean` of an assembled Lean: a shell script that names the library folder and becomes the launcher. The
 * launcher is a small native program if there is a C compiler (0.3 s per start), else a Python script (0.6 s).
 */
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StpError } from '@stp/base';
import { runCommand } from '../run-command.ts';
import { findOnPath } from '../search-path.ts';

export type LauncherKind = 'native' | 'python';

const NATIVE_SOURCE = new URL('./main.c', import.meta.url);
const PYTHON_SOURCE = new URL('./launch.py', import.meta.url);
/** All that a launcher is made of: the script is written below. */
export const LAUNCHER_SOURCES = [NATIVE_SOURCE, PYTHON_SOURCE, new URL(import.meta.url)];

const C_COMPILERS = ['cc', 'gcc', 'clang'];
/** Linking reads the symbols of a library of 230 MB. */
const COMPILE_TIMEOUT_MS = 120_000;
const PYTHON_TIMEOUT_MS = 30_000;

/** Starts no process of its own, but through a link: that takes time, and what ends it early would go unnoticed. */
const SCRIPT_START = `#!/bin/sh
# Starts the assembled Lean. Modules are looked for in LEAN_PATH first, then in its own library.
self=$0
[ ! -L "$self" ] || self=$(readlink -f "$self") || exit
case $self in
/*) ;;
*) self=$PWD/$self ;;
esac
here=\${self%/*}
export LEAN_PATH="\${LEAN_PATH:+$LEAN_PATH:}$here/../lib/lean"
`;
const NATIVE_SCRIPT = `${SCRIPT_START}exec "$here/lean-native" "$@"\n`;

/** The server starts its workers through LEAN_WORKER_PATH, since the running program is Python. */
function pythonScript(python: string): string {
  return `${SCRIPT_START}export LEAN_WORKER_PATH="$here/lean"
python='${python.replaceAll("'", `'\\''`)}'
[ -x "$python" ] || python=python3
exec "$python" -I -S "$here/launch.py" "$@"
`;
}

export interface LauncherOptions {
  /** Folder of the assembled Lean, with `lib/libleanshared.so`; gets `bin/lean` and what it starts. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Tries every C compiler on PATH; tells whether one made the native launcher. */
async function compileNative({ root, environment, signal }: LauncherOptions): Promise<boolean> {
  for (const name of C_COMPILERS) {
    const compiler = await findOnPath(name, environment);
    if (compiler === undefined) continue;
    const result = await runCommand(
      compiler,
      [
        '-O1',
        fileURLToPath(NATIVE_SOURCE),
        '-o',
        join(root, 'bin', 'lean-native'),
        `-L${join(root, 'lib')}`,
        '-lleanshared',
        '-Wl,-rpath,$ORIGIN/../lib',
        '-Wl,--allow-shlib-undefined',
      ],
      { environment, timeoutMs: COMPILE_TIMEOUT_MS, signal },
    );
    if (result.ok) return true;
  }
  return false;
}

async function writeScript(root: string, text: string): Promise<void> {
  const path = join(root, 'bin', 'lean');
  await writeFile(path, text);
  await chmod(path, 0o755);
}

export async function installNativeLauncher(options: LauncherOptions): Promise<boolean> {
  await mkdir(join(options.root, 'bin'), { recursive: true });
  if (!(await compileNative(options))) return false;
  await writeScript(options.root, NATIVE_SCRIPT);
  return true;
}

/** @throws StpError STP1201 where there is no working `python3` */
export async function installPythonLauncher({ root, environment, signal }: LauncherOptions): Promise<void> {
  await mkdir(join(root, 'bin'), { recursive: true });
  // The interpreter itself: `python3` on PATH may be a version manager's script that looks for it at every start.
  const result = await runCommand('python3', ['-c', 'import sys, ctypes; print(sys.executable)'], {
    environment,
    timeoutMs: PYTHON_TIMEOUT_MS,
    signal,
  });
  if (!result.ok) {
    throw new StpError(
      'STP1201',
      `python3 with ctypes is needed: ${result.reason}`,
      'Install Python 3, or a C compiler.',
    );
  }
  await copyFile(fileURLToPath(PYTHON_SOURCE), join(root, 'bin', 'launch.py'));
  await writeScript(root, pythonScript(result.stdout.trim()));
}

/** The native launcher where one can be made, else the Python one. */
export async function installLauncher(options: LauncherOptions): Promise<LauncherKind> {
  if (await installNativeLauncher(options)) return 'native';
  await installPythonLauncher(options);
  return 'python';
}
