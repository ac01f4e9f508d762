/**
 * Finds bubblewrap: named in STP_BWRAP, on PATH, or in our cache. `fetchBubblewrap` downloads the package of Debian or
 * Ubuntu into the cache without root. apt checks its signature; it is not installed, and none of its scripts run.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileMark, isThere, remember } from '@stp/base/files';
import { z } from 'zod';
import { runCommand } from '../../toolchain/run-command.ts';
import { findOnPath } from '../../toolchain/search-path.ts';
import { leanFolder, makeWhole, withSetUpLock } from '../../toolchain/set-up-folder.ts';

/** Environment variable with the absolute path of the `bwrap` to use. */
export const BUBBLEWRAP_VARIABLE = 'STP_BWRAP';
/** Folder of the downloaded package in the cache's folder for Lean. */
const FETCHED_FOLDER = 'bubblewrap';
const PACKAGE = 'bubblewrap';
const ASK_TIMEOUT_MS = 10_000;
/** The package has 50 kB; lists of packages have about ten megabytes. */
const FETCH_TIMEOUT_MS = 300_000;

export interface FoundBubblewrap {
  readonly executable: string;
  /** For example `0.8.0`. */
  readonly version: string;
  readonly forbidsNesting: boolean;
}

export type BubblewrapSearch =
  | { readonly found: FoundBubblewrap }
  | { readonly found?: never /** In one line, without a full stop. */; readonly problem: string };

export interface BubblewrapOptions {
  readonly cacheDirectory: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Changes nothing on this machine. If STP_BWRAP is set, nothing else is tried. */
export async function findBubblewrap(options: BubblewrapOptions): Promise<BubblewrapSearch> {
  const { environment = process.env, cacheDirectory } = options;
  if (process.platform !== 'linux') return { problem: 'bubblewrap is for Linux' };
  const named = environment[BUBBLEWRAP_VARIABLE];
  if (named !== undefined && named !== '') {
    if (!isAbsolute(named)) return { problem: `${BUBBLEWRAP_VARIABLE}: ${named} is not an absolute path` };
    return inspect(named, options);
  }
  const onPath = await findOnPath('bwrap', environment);
  if (onPath !== undefined) return inspect(onPath, options);
  const fetched = join(leanFolder(cacheDirectory), FETCHED_FOLDER, 'usr', 'bin', 'bwrap');
  return (await isThere(fetched)) ? inspect(fetched, options) : { problem: 'there is no bwrap on PATH' };
}

const foundSchema = z.strictObject({
  found: z.strictObject({ executable: z.string(), version: z.string(), forbidsNesting: z.boolean() }),
});

/** Inspects the program once and remembers the result until the file changes. */
async function inspect(executable: string, options: BubblewrapOptions): Promise<BubblewrapSearch> {
  const { cacheDirectory } = options;
  const key = ['bubblewrap', executable, await fileMark(executable)];
  return (await remember({ cacheDirectory, key, schema: foundSchema }, () =>
    ask(executable, options),
  )) as BubblewrapSearch;
}

/** Asks the program for its version and its options. */
async function ask(executable: string, { environment, signal }: BubblewrapOptions): Promise<BubblewrapSearch> {
  const options = { environment: environment ?? process.env, timeoutMs: ASK_TIMEOUT_MS, signal };
  const version = await runCommand(executable, ['--version'], options);
  const number = /^bubblewrap (\d[\w.+-]*)/m.exec(version.stdout)?.[1];
  if (!version.ok || number === undefined) return { problem: `${executable}: ${version.reason || 'it is no bwrap'}` };
  const { stdout: help } = await runCommand(executable, ['--help'], options);
  const missing = ['--size', '--seccomp', '--cap-drop', '--die-with-parent'].find((option) => !help.includes(option));
  if (missing !== undefined)
    return { problem: `${executable}: bubblewrap ${number} has no ${missing}; 0.6.0 and later do` };
  return { found: { executable, version: number, forbidsNesting: help.includes('--disable-userns') } };
}

/** Downloads the distribution's package into the cache. If that is impossible, the problem says what to do. */
export async function fetchBubblewrap(options: BubblewrapOptions): Promise<BubblewrapSearch> {
  const { environment = process.env, cacheDirectory, signal } = options;
  for (const tool of ['apt-get', 'dpkg-deb'])
    if ((await findOnPath(tool, environment)) === undefined)
      return { problem: `there is no ${tool}: install bubblewrap with this system's package manager` };
  const command = async (folder: string, program: string, parameters: readonly string[]): Promise<void> => {
    const result = await runCommand(program, parameters, {
      environment: { ...environment, DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: FETCH_TIMEOUT_MS,
      cwd: folder,
      signal,
    });
    if (!result.ok) throw new Error(`${program} ${parameters.at(-1)}: ${result.reason}`);
  };
  const fetch = async (): Promise<void> => {
    // Another process may have finished its set-up while this one waited, and its download may be in use.
    if ((await findBubblewrap(options)).found !== undefined) return;
    await makeWhole(cacheDirectory, FETCHED_FOLDER, async (folder) => {
      const apt = join(folder, 'apt');
      // Container images come without package lists, and only root may update the system's.
      await command(folder, 'apt-get', ['-q', 'download', PACKAGE]).catch(async () => {
        const own = await ownLists(apt);
        await command(folder, 'apt-get', [...own, '-q', 'update']);
        await command(folder, 'apt-get', [...own, '-q', 'download', PACKAGE]);
      });
      const archive = (await readdir(folder)).find((name) => name.startsWith(`${PACKAGE}_`)) ?? PACKAGE;
      await command(folder, 'dpkg-deb', ['--extract', archive, folder]);
      await rm(join(folder, archive));
      await rm(apt, { recursive: true, force: true });
    });
  };
  try {
    await withSetUpLock(cacheDirectory, () => undefined, fetch, signal);
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: `bubblewrap could not be got: ${(error as Error).message}` };
  }
  return findBubblewrap(options);
}

/** Options that make apt keep its lists and archives in the given folder. */
async function ownLists(folder: string): Promise<string[]> {
  const directories = { 'Dir::State::Lists': 'lists', 'Dir::Cache': 'cache', 'Dir::State': 'state' };
  await mkdir(join(folder, 'lists', 'partial'), { recursive: true });
  await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true });
  await mkdir(join(folder, 'state'), { recursive: true });
  return [
    ...Object.entries(directories).flatMap(([name, part]) => ['-o', `${name}=${join(folder, part)}`]),
    // Installed packages do not matter here, and only root may lock the system's list.
    '-o',
    `Dir::State::status=/dev/null`,
    '-o',
    'Debug::NoLocking=1',
    '-o',
    'APT::Sandbox::User=',
  ];
}
