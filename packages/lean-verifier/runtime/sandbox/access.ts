/**
 * Lists the folders that Lean must be able to read to start: the toolchain, the compiled modules, and the Python that
 * may start an assembled Lean. Nothing is guessed from the environment; the sandbox contains only the folders listed
 * here.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { LeanEnvironment } from '../../verifier.ts';
import type { SandboxAccess } from './sandbox.ts';

/**
 * Folders of `<prefix>/` that belong to a toolchain. A prefix such as `/usr/local` or a home directory contains other
 * files too.
 */
const TOOLCHAIN_PARTS = ['bin', 'lib', 'include'];
/** The line of the assembled Lean's launcher that names its Python (`toolchain/assemble/launcher.ts`). */
const LAUNCHER_PYTHON = /^python='([^']+)'$/m;
const LAUNCHER_BYTES_MAX = 4_096;

const known = new Map<string, readonly string[]>();

/** Returns the access for a process of this Lean. Pass `writable` only if the process compiles a module. */
export function leanAccess(
  { executable, searchPath }: Pick<LeanEnvironment, 'executable' | 'searchPath'>,
  workingDirectory: string,
  writable: readonly string[] = [],
): SandboxAccess {
  const toolchain = known.get(executable) ?? toolchainPaths(executable);
  known.set(executable, toolchain);
  return { readOnly: [...toolchain, ...searchPath.filter((path) => isAbsolute(path))], writable, workingDirectory };
}

/** Returns the toolchain's paths as given and, if they are links, their targets. */
function toolchainPaths(executable: string): readonly string[] {
  const paths = [executable];
  for (const path of new Set([executable, resolved(executable)])) {
    const prefix = dirname(dirname(path));
    if (basename(dirname(path)) === 'bin') paths.push(...TOOLCHAIN_PARTS.map((part) => join(prefix, part)));
    else paths.push(dirname(path));
  }
  const python = launcherPython(executable);
  if (python !== null) paths.push(...[python, resolved(python)].map((path) => dirname(dirname(path))));
  return [...new Set(paths)].filter((path) => path !== '/' && existsSync(path));
}

function launcherPython(executable: string): string | null {
  try {
    const text = readFileSync(executable).subarray(0, LAUNCHER_BYTES_MAX).toString('latin1');
    const python = text.startsWith('#!') ? LAUNCHER_PYTHON.exec(text)?.[1] : undefined;
    return python !== undefined && isAbsolute(python) && !python.startsWith('/usr/bin/') ? python : null;
  } catch {
    return null;
  }
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
