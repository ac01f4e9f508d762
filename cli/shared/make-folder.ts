/** Makes a folder that the user names. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes one folder after another: Node's recursive call never returns if the system denies that a parent exists
 * (/proc).
 */
export async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path);
}
