/** Checks whether this machine has everything needed to assemble a Lean. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { freeBytesOf } from '@stp/base/files';
import { runCommand } from '../run-command.ts';

/** Oldest glibc with which Lean's library works (from the tag of its package). */
const GLIBC_MINIMUM = [2, 35] as const;
/** Disk space during the assembly: both packages, one of them unpacked, and the result (560 MB). */
const DISK_BYTES_NEEDED = 1_000_000_000;
const PROBE_TIMEOUT_MS = 60_000;

function glibcVersion(): string | undefined {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime;
}

function isOldGlibc(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < GLIBC_MINIMUM[0] || (major === GLIBC_MINIMUM[0] && minor < GLIBC_MINIMUM[1]);
}

function systemProblem(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `it needs Linux on x86-64; this is ${process.platform} on ${process.arch}`;
  }
  const glibc = glibcVersion();
  if (glibc === undefined) return 'it needs glibc, which this system does not have';
  return isOldGlibc(glibc) ? `it needs glibc ${GLIBC_MINIMUM.join('.')} or newer; this system has ${glibc}` : undefined;
}

async function clientProblem(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string | undefined> {
  const options = { environment, timeoutMs: PROBE_TIMEOUT_MS, signal };
  const pip = await runCommand('python3', ['-m', 'pip', '--version'], options);
  if (!pip.ok) return `it needs Python 3 with pip; python3 -m pip: ${pip.reason}`;
  const npm = await runCommand('npm', ['--version'], options);
  return npm.ok ? undefined : `it needs npm; npm --version: ${npm.reason}`;
}

/** Returns the folder, or its nearest existing ancestor. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}

async function diskProblem(folder: string): Promise<string | undefined> {
  const free = await freeBytesOf(existing(resolve(folder)));
  if (free >= DISK_BYTES_NEEDED) return undefined;
  return `it needs ${DISK_BYTES_NEEDED / 1e6} MB free in ${folder}; there are ${Math.floor(free / 1e6)}`;
}

/** Returns why Lean cannot be assembled in `folder`, or undefined if it can. Does not contact the registries. */
export async function assemblyProblem(
  folder: string,
  environment: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return systemProblem() ?? (await diskProblem(folder)) ?? (await clientProblem(environment, signal));
}
