/**
 * Finds an existing Lean: named in STP_LEAN, on PATH, or in our cache. Each function returns the toolchain or a
 * one-line reason why there is none. Changes nothing on this machine.
 */
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isThere } from '@stp/base/files';
import type { LeanSource } from '../verifier.ts';
import { assembledFolderName, readAssembledManifest } from './assemble/manifest.ts';
import { RELEASED_FOLDER_NAME } from './elan.ts';
import { probeLean, type WorkingLean } from './probe.ts';
import { runCommand } from './run-command.ts';
import { findOnPath } from './search-path.ts';
import { leanFolder } from './set-up-folder.ts';
import type { Toolchain } from './toolchain.ts';

/** Environment variable with the absolute path of the `lean` to use. */
export const LEAN_VARIABLE = 'STP_LEAN';

export interface FindOptions {
  readonly cacheDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Probe a Lean even if its result is cached. */
  readonly anew?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type Found =
  | { readonly toolchain: Toolchain }
  | { readonly toolchain?: never /** In one line, without a full stop. */; readonly problem: string };

const PREFIX_TIMEOUT_MS = 30_000;

/** Describes a working Lean. An assembled one is recognised by its manifest, however it was found. */
async function describe(source: LeanSource, executable: string, lean: WorkingLean): Promise<Toolchain> {
  const manifest = await readAssembledManifest(dirname(dirname(await realpath(executable))));
  const toleratesLibraryAxioms = lean.libraryWithoutProofs;
  if (manifest !== undefined) {
    const identity = `assembled ${manifest.key}; ${lean.versionLine}`;
    return { source, executable, version: manifest.version, identity, toleratesLibraryAxioms };
  }
  const remark = toleratesLibraryAxioms ? ', library without proofs' : '';
  const version = `Lean ${lean.leanVersion}${remark}`;
  return { source, executable, version, identity: lean.versionLine + remark, toleratesLibraryAxioms };
}

/** Returns the executable as a toolchain if it checks proofs. */
export async function inspectLean(source: LeanSource, executable: string, options: FindOptions): Promise<Found> {
  const probe = await probeLean(executable, options);
  if (!probe.works) return { problem: `${executable}: ${probe.reason}` };
  return { toolchain: await describe(source, executable, probe.lean) };
}

export async function findConfigured(options: FindOptions): Promise<Found> {
  const executable = options.environment[LEAN_VARIABLE];
  if (executable === undefined || executable === '') return { problem: `${LEAN_VARIABLE} is not set` };
  if (!isAbsolute(executable)) return { problem: `${executable} is not an absolute path` };
  return await inspectLean('configured', executable, options);
}

/**
 * Replaces an elan shim by the executable that it starts. A shim chooses the toolchain by the current folder; every
 * check of a run must use the same Lean.
 */
async function behindShim(executable: string, { environment, signal }: FindOptions): Promise<string> {
  if (!(await isThere(join(dirname(executable), 'elan')))) return executable;
  const options = { environment, timeoutMs: PREFIX_TIMEOUT_MS, signal };
  const prefix = await runCommand(executable, ['--print-prefix'], options);
  const behind = join(prefix.stdout.trim(), 'bin', 'lean');
  return prefix.ok && isAbsolute(behind) && (await isThere(behind)) ? behind : executable;
}

export async function findOnSearchPath(options: FindOptions): Promise<Found> {
  const executable = await findOnPath('lean', options.environment);
  if (executable === undefined) return { problem: 'there is no lean on PATH' };
  return await inspectLean('path', await behindShim(executable, options), options);
}

/** Finds a Lean from an earlier set-up. A released one is preferred to an assembled one. */
export async function findCached(options: FindOptions): Promise<Found> {
  const folder = leanFolder(options.cacheDirectory);
  const released = join(folder, RELEASED_FOLDER_NAME, 'bin', 'lean');
  if (await isThere(released)) return await inspectLean('elan', released, options);
  const assembled = join(folder, await assembledFolderName());
  if ((await readAssembledManifest(assembled)) === undefined) return { problem: `there is none in ${folder} yet` };
  return await inspectLean('assembled', join(assembled, 'bin', 'lean'), options);
}
