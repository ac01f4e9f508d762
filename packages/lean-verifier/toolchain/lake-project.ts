/**
 * Reads a built Lake project (Mathlib, or a project that depends on it): the folders of its compiled modules, from its
 * manifest. It never runs Lake, because Lake would download and build, and the modules under a proof must not change
 * during its check. The manifest's format is defined in lean4, src/lake/Lake/Load/Manifest.lean.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { describeIssues, StpError } from '@stp/base';
import { isThere } from '@stp/base/files';
import { contentId } from '@stp/config/ids';
import { z } from 'zod';
import { COMPILED, moduleMarks } from './project-marks.ts';

/** Environment variable with the absolute path of the project's folder. */
export const PROJECT_VARIABLE = 'STP_LEAN_PROJECT';

export interface LakeProject {
  /** Absolute path. */
  readonly directory: string;
  /** Name for people, with the revision of a Git checkout: `mathlib 8f9d9cff6bd7`. */
  readonly version: string;
  /** The toolchain named in the project's `lean-toolchain`, such as `leanprover/lean4:v4.28.0`. */
  readonly toolchain: string;
  /** Folders of compiled modules for LEAN_PATH: the project's own and those of its dependencies. */
  readonly searchPath: readonly string[];
  /** Hash of every compiled module. */
  readonly identity: string;
  /** The result of `moduleMarks` before the modules were read. */
  readonly marks: string;
}

const name = z.string().min(1).max(200);
const folder = z.string().min(1).max(4_096);
const manifestSchema = z.object({
  packagesDir: folder.default('.lake/packages'),
  name: name.optional(),
  packages: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('git'), name, subDir: folder.nullish() }),
        z.object({ type: z.literal('path'), name, dir: folder }),
      ]),
    )
    .max(1_000)
    .default([]),
});

/** Folders of compiled modules in a package; the first is that of newer Lake versions. */
const BUILT = [join('.lake', 'build', 'lib', 'lean'), join('.lake', 'build', 'lib')];
const OLEAN = '.olean';
const REVISION = /^[0-9a-f]{40}$/;
const REVISION_SHOWN = 12;
/** Manifests have some kilobytes. */
const FILE_BYTES_MAX = 4 << 20;

/**
 * Reads the project in `directory`. `namedBy` says for errors where the path came from.
 * @throws StpError STP1201 if there is no such project, or it is not built
 */
export async function readLakeProject(directory: string, namedBy = PROJECT_VARIABLE): Promise<LakeProject> {
  const refuse = (why: string): StpError => noProject(directory, why, namedBy);
  if (!isAbsolute(directory)) throw refuse('that is not an absolute path');
  const toolchain = (await readSmall(directory, 'lean-toolchain', refuse)).trim();
  const manifest = parseManifest(await readSmall(directory, 'lake-manifest.json', refuse), refuse);
  const packages = manifest.packages.map((one) =>
    one.type === 'path' ? join(directory, one.dir) : join(directory, manifest.packagesDir, one.name, one.subDir ?? ''),
  );
  const found = await Promise.all([directory, ...packages].map(builtFolder));
  const searchPath = found.filter((path) => path !== null);
  // Lake does not build packages that nothing needs, but a project without any built module is useless.
  if (searchPath.length === 0) throw refuse('it is not built: there are no compiled modules');
  const marks = await moduleMarks(searchPath);
  const revision = await revisionOf(directory);
  const called = manifest.name ?? basename(directory);
  return {
    directory,
    version: revision === null ? called : `${called} ${revision.slice(0, REVISION_SHOWN)}`,
    toolchain,
    searchPath,
    identity: contentId('lake project', ...(await Promise.all(searchPath.map(hashOfModules)))),
    marks,
  };
}

/** Returns the Lean name of the folder's smallest module, which is the cheapest to import. */
export async function smallestModule(searchPath: readonly string[]): Promise<string | null> {
  let [smallest, bytes] = [null as string | null, Number.POSITIVE_INFINITY];
  for await (const path of compiledModules(searchPath[0]!)) {
    if (!path.endsWith(OLEAN)) continue;
    const { size } = await stat(join(searchPath[0]!, path));
    if (size < bytes) [smallest, bytes] = [path, size];
  }
  return smallest === null ? null : smallest.slice(0, -OLEAN.length).split('/').map(quoted).join('.');
}

const quoted = (part: string): string => (/^[\p{L}_][\p{L}\p{N}_'!?]*$/u.test(part) ? part : `«${part}»`);

type Refuse = (why: string) => StpError;

async function readSmall(directory: string, file: string, refuse: Refuse): Promise<string> {
  const path = join(directory, file);
  const { size } = await stat(path).catch(() => {
    throw refuse(`there is no ${file}`);
  });
  if (size > FILE_BYTES_MAX) throw refuse(`${file} has ${size} bytes`);
  return readFile(path, 'utf8');
}

function parseManifest(text: string, refuse: Refuse): z.infer<typeof manifestSchema> {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? describeIssues(error) : (error as Error).message;
    throw refuse(`its lake-manifest.json cannot be read: ${why}`);
  }
}

async function builtFolder(packageDirectory: string): Promise<string | null> {
  for (const built of BUILT) {
    const path = join(packageDirectory, built);
    if (await isThere(path)) return path;
  }
  return null;
}

/** Hashes a folder's modules: their names, with the hash that Lake noted for each or else the hash of the content. */
async function hashOfModules(directory: string): Promise<string> {
  const hash = createHash('sha256');
  const paths = await Array.fromAsync(compiledModules(directory));
  for (const path of paths.sort()) {
    const noted = await readFile(join(directory, `${path}.hash`), 'utf8').catch(() => null);
    const { size } = await stat(join(directory, path));
    hash.update(`${path}\0${size}\0${noted ?? (await hashOfFile(join(directory, path)))}\0`);
  }
  return hash.digest('hex');
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

/** Yields paths of compiled modules and their additional parts, relative to the folder and with `/`. */
async function* compiledModules(directory: string, within = ''): AsyncGenerator<string> {
  for (const entry of await readdir(join(directory, within), { withFileTypes: true })) {
    const path = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.isDirectory()) yield* compiledModules(directory, path);
    else if (COMPILED.test(entry.name)) yield path;
  }
}

/**
 * Returns the revision of a Git checkout, read from its files: Git itself may refuse a folder that another user owns.
 */
async function revisionOf(directory: string): Promise<string | null> {
  const git = join(directory, '.git');
  const head = await readFile(join(git, 'HEAD'), 'utf8').catch(() => '');
  const [, branch] = /^ref: (refs\/[\w./-]+)\s*$/.exec(head) ?? [];
  const revision = branch === undefined ? head : await readFile(join(git, branch), 'utf8').catch(() => '');
  return REVISION.test(revision.trim()) ? revision.trim() : null;
}

function noProject(directory: string, why: string, namedBy: string): StpError {
  return new StpError(
    'STP1201',
    `${namedBy} names no built Lake project: ${directory}: ${why}`,
    namedBy === PROJECT_VARIABLE
      ? `Name the absolute path of a project that \`lake build\` has finished, or unset ${PROJECT_VARIABLE}.`
      : 'Run `lake build` in the project, then give its folder.',
  );
}
