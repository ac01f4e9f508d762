/** Finds programs on PATH, as a shell would. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // absent or not executable by us
  }
}

/** Returns the absolute path of the first executable file `name` in the absolute folders of PATH. */
export async function findOnPath(name: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (environment.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (isAbsolute(folder) && (await isExecutableFile(path))) return path;
  }
  return undefined;
}
