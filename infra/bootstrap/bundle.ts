/**
 * Makes the worker's archive for nodes: the tracked sources that run, and the installed packages that they need,
 * including Node. The same sources and packages give the same bytes, so the archive is stored once and identified by
 * its SHA-256.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { StpError } from '@stp/base';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import { create } from 'tar';

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** Folders of the repository that no worker needs. */
const LEFT_OUT =
  /^(?:test|docs|tools|runs|\.github|data\/lean-corpus|packages\/[^/]+\/testing)\/|^packages\/(?:.*\.(?:test|slow)|[^/]+\/testing)\.ts$/;
/**
 * Files of packages that are left out: programs for other systems, native sources, and files for compilers and people.
 */
const LEFT_OUT_OF_PACKAGES =
  /@temporalio\/core-bridge\/(?:releases\/(?!x86_64-unknown-linux-gnu\/)|sdk-core\/|src\/)|onnxruntime-node\/bin\/napi-v\d+\/(?:darwin|win32|linux\/arm64)\/|\.(?:map|md|d\.[cm]?ts)$/;
/** Modification time of everything in the archive: 1980, the earliest that all tools can express. */
const FIXED_TIME = new Date('1980-01-01T00:00:00Z');
const HASH_DIGITS = 16;

export interface Bundle {
  readonly sha256: string;
  readonly bytes: number;
  readonly files: number;
}

/**
 * Writes the archive of `repository` (a Git checkout with installed packages) to `path`. Throws STP1002 if it is no
 * checkout or packages are missing.
 */
export async function makeBundle(repository: string, path: string): Promise<Bundle> {
  const tracked = (await output(repository, 'git', ['ls-files', '-z'])).split('\0').filter((name) => name !== '');
  const sources = tracked.filter((name) => !LEFT_OUT.test(name));
  const packages = await packageFiles(repository);
  const files = [...sources, ...packages].sort();
  const archive = create(
    {
      cwd: repository,
      portable: true,
      noPax: true,
      mtime: FIXED_TIME,
      // Archives a hard-linked file as an ordinary one. As a link it would give other bytes, and tar hangs if many
      // files have several names.
      filter: (_, stat) => {
        stat.nlink = 1;
        return true;
      },
      // Uses Git's modes, so only the executable bit counts and nothing depends on this machine.
      onWriteEntry: (entry) => {
        const mode = entry.stat?.mode ?? 0;
        if (entry.stat)
          entry.stat.mode = (mode & 0o170000) | (mode & 0o111 || entry.stat.isDirectory() ? 0o755 : 0o644);
      },
    },
    files,
  );
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    archive,
    createGzip({ level: 6 }),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const part of source) {
        hash.update(part);
        bytes += part.length;
        yield part;
      }
    },
    createWriteStream(path),
  );
  return { sha256: hash.digest('hex'), bytes, files: files.length };
}

/** Makes the archive and stores it under `bundles/`, named by its checksum; an existing one is not stored again. */
export async function storeBundle(
  repository: string,
  store: ObjectStore,
): Promise<Bundle & { readonly uri: string; readonly ref: ArtifactRef }> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-bundle-'));
  try {
    const path = join(folder, 'worker.tar.gz');
    const bundle = await makeBundle(repository, path);
    const name = `bundles/worker-${bundle.sha256.slice(0, HASH_DIGITS)}.tar.gz`;
    const ref = await store.putFile(name, path);
    return { ...bundle, ref, uri: `${store.root}/${name}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the files of the packages in a production installation, by the installed packages and the lock file. */
async function packageFiles(repository: string): Promise<string[]> {
  const listed = await output(repository, 'npm', ['ls', '--omit=dev', '--all', '--parseable']);
  const folders = listed
    .split('\n')
    .map((line) => relative(repository, line.trim()))
    .filter((name) => name.split(sep).includes('node_modules'));
  if (folders.length === 0)
    throw new StpError('STP1002', `${repository} has no installed packages`, 'Run npm ci first.');
  const files: string[] = [];
  for (const folder of new Set(folders)) {
    // A package of this repository is a link to tracked files.
    const isOwn = (await lstat(join(repository, folder))).isSymbolicLink();
    files.push(...(isOwn ? [folder] : await filesUnder(repository, folder)));
  }
  return files.filter((name) => !LEFT_OUT_OF_PACKAGES.test(name));
}

/** Returns files and links below a package's folder, without nested packages, which are listed separately. */
async function filesUnder(repository: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(repository, folder), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') files.push(...(await filesUnder(repository, name)));
    } else files.push(name);
  }
  return files;
}

async function output(cwd: string, command: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(command, args, { cwd, maxBuffer: OUTPUT_BYTES_MAX })).stdout;
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: string };
    throw new StpError(
      'STP1002',
      `${command} ${args.join(' ')} failed in ${cwd}: ${stderr.trim().slice(-500)}`,
      'Make the bundle in a Git checkout with its packages installed (npm ci).',
      { cause },
    );
  }
}
