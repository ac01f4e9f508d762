/**
 * Notices when a Lake project is rebuilt while a program uses it. Everything that the program keeps of its modules
 * (warm processes, saved imports, compiled statements, the environment's fingerprint) is outdated then.
 */
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanEnvironment } from '../verifier.ts';

/** A module of Lean's module system has three files. */
export const COMPILED = /\.olean(\.server|\.private)?$/u;
/** Hashing some thousand modules takes a tenth of a second of a core. */
const LOOK_EVERY_MS = 1_000;

type WithProject = Pick<LeanEnvironment, 'projectModules'>;

/** Returns a hash of names, sizes and times of all compiled modules in the folders. */
export async function moduleMarks(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const modules = names.filter((name) => COMPILED.test(name)).sort();
    const facts = await Promise.all(modules.map((name) => stat(join(folder, name)).catch(() => null)));
    for (const [index, name] of modules.entries())
      hash.update(`${folder}/${name}:${facts[index]?.size}:${facts[index]?.mtimeMs}:${facts[index]?.ino}\n`);
  }
  return hash.digest('hex');
}

/** Returns why the environment no longer matches the modules on disk, or null. Without a project: null. */
export async function rebuiltProject({ projectModules: known }: WithProject): Promise<string | null> {
  if (known === undefined || known.marks === (await moduleMarks(known.folders))) return null;
  return 'the Lake project was built anew since it was opened here';
}

/**
 * Returns a cached `rebuiltProject` for frequent calls: its answer may be a second old, and remains once it is not
 * null.
 */
export function watchProject(environment: WithProject): () => Promise<string | null> {
  let [asked, untilMs] = [Promise.resolve<string | null>(null), Number.NEGATIVE_INFINITY];
  return async () => {
    if (performance.now() >= untilMs) {
      untilMs = performance.now() + LOOK_EVERY_MS;
      asked = rebuiltProject(environment);
      if ((await asked) !== null) untilMs = Number.POSITIVE_INFINITY;
    }
    return asked;
  };
}
