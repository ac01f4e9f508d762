/**
 * Partial folders, which become a set's folder when they are complete. Their name gives the process that writes them
 * (`makeOwnedFolder`), so a later process can remove what a killed one has left.
 */
import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOwner, makeOwnedFolder } from '@stp/base/files';

const PREFIX = '.partial';
/** A folder whose owner cannot be checked is abandoned if nothing in it has changed for this time. */
const UNCHANGED_MAX_MS = 24 * 3_600_000;

/** Makes a partial folder of this process in `parent`, which is created if necessary. */
export async function makePartial(parent: string): Promise<string> {
  const path = await makeOwnedFolder(parent, PREFIX);
  // Owned folders are private; others may read a set, as the umask allows.
  await chmod(path, 0o777 & ~process.umask());
  return path;
}

/** Removes the partial folders in `parent` whose process is gone. A folder that cannot be removed stays. */
export async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const owner = await folderOwner(name);
    if (owner?.prefix !== PREFIX || owner.state === 'running') continue;
    const path = join(parent, name);
    if (owner.state === 'gone' || (await isUnchanged(path)))
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isUnchanged(path: string): Promise<boolean> {
  try {
    const below = await readdir(path, { recursive: true });
    const stats = await Promise.all([path, ...below.map((name) => join(path, name))].map((one) => stat(one)));
    return Date.now() - Math.max(...stats.map(({ mtimeMs }) => mtimeMs)) > UNCHANGED_MAX_MS;
  } catch {
    return false;
  }
}
