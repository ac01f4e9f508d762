/**
 * The folder name and the manifest of an assembled Lean. This file has few imports, because every command that searches
 * for Lean loads it.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ASSEMBLED_LEAN_VERSION } from '../olean/lean-version.ts';
import { LAUNCHER_SOURCES, type LauncherKind } from './launcher.ts';
import { ELABORATOR_PACKAGE, LIBRARY_PACKAGE } from './packages.ts';

/** The modules of `additions/`, each after its imports. */
const ADDITIONS = ['Core', 'Conditions', 'Recursion', 'Simp', 'Do', 'Rings', 'Linear'];
/**
 * Increment with every change of the conversion that changes its output. The golden files of the tests change too then.
 */
const CONVERSION_REVISION = 3;
const LIBRARY_VERSION = '4.28';
const MANIFEST_NAME = 'assembled.json';
const KEY_CHARS = 12;

/** Shown to people and stored in every verdict. */
export const ASSEMBLED_VERSION = `Lean ${ASSEMBLED_LEAN_VERSION}, assembled (library ${LIBRARY_VERSION})`;

const manifestSchema = z.strictObject({
  version: z.string().max(200),
  /** Hash of everything that the assembled Lean is made of. */
  key: z.string().regex(/^[0-9a-f]{12}$/),
  launcher: z.enum(['native', 'python']),
  packages: z.array(z.strictObject({ name: z.string(), version: z.string(), sha256: z.string() })),
});
type AssembledManifest = z.infer<typeof manifestSchema>;

/** A module that an assembled Lean has in addition to its package. */
export interface Addition {
  /** The last component of its name. */
  readonly name: string;
  readonly source: string;
}

/** Reads the additions, each after its imports. */
export function readAdditions(): Promise<Addition[]> {
  return Promise.all(
    ADDITIONS.map(async (name) => ({
      name,
      source: await readFile(new URL(`./additions/${name}.lean`, import.meta.url), 'utf8'),
    })),
  );
}

/**
 * Returns a hash that changes whenever an assembled Lean would: of the packages, the conversion, the additions and the
 * launchers.
 */
async function assemblyKey(): Promise<string> {
  const hash = createHash('sha256');
  hash.update(`${CONVERSION_REVISION} ${ELABORATOR_PACKAGE.sha256} ${LIBRARY_PACKAGE.sha256}\n`);
  for (const { name, source } of await readAdditions()) hash.update(`${name}\n${source}`);
  for (const source of LAUNCHER_SOURCES) hash.update(await readFile(source));
  return hash.digest('hex').slice(0, KEY_CHARS);
}

/** Returns the folder name of the current assembled Lean in the cache's folder for Lean. */
export async function assembledFolderName(): Promise<string> {
  return `assembled-${ASSEMBLED_LEAN_VERSION}-${await assemblyKey()}`;
}

/** Returns the manifest of a complete assembled Lean in `folder`, or undefined. */
export async function readAssembledManifest(folder: string): Promise<AssembledManifest | undefined> {
  try {
    return manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST_NAME), 'utf8')));
  } catch {
    return undefined; // absent or not ours: there is no assembled Lean
  }
}

export async function writeAssembledManifest(
  folder: string,
  launcher: LauncherKind,
  packages: AssembledManifest['packages'],
): Promise<void> {
  const manifest: AssembledManifest = { version: ASSEMBLED_VERSION, key: await assemblyKey(), launcher, packages };
  await writeFile(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
