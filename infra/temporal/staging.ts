/** Installs a folder completely or not at all: fills it under a temporary name beside its own, then renames it. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publishFolder } from '@stp/base/files';

const PREFIX = '.part-';
/** No installation takes longer; older leftovers come from killed processes. */
const LEFTOVER_AGE_MS_MIN = 2 * 60 * 60 * 1000;

/** Calls `fill` with an empty folder. On success that becomes `folder`; otherwise it is removed. */
export async function installWhole(folder: string, fill: (temporary: string) => Promise<void>): Promise<void> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await sweep(parent);
  const temporary = join(parent, PREFIX + randomUUID());
  await mkdir(temporary);
  try {
    await fill(temporary);
    // A folder that another process has installed meanwhile is kept.
    await publishFolder(temporary, folder, async () => true);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const { mtimeMs } = await stat(join(parent, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFTOVER_AGE_MS_MIN) await rm(join(parent, name), { recursive: true, force: true });
  }
}
