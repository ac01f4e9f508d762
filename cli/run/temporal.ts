/** Finds or installs the Temporal CLI, and remembers it for `bin/temporal`. */
import { readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type FoundTemporal, findTemporal } from '../../infra/temporal/find.ts';
import { unwritable } from '../../infra/unwritable.ts';
import type { WorkerSettings } from '../../workers/settings.ts';

export async function temporalExecutable(
  settings: WorkerSettings,
  onProgress: (line: string) => void,
): Promise<FoundTemporal> {
  const found = await findTemporal({
    cacheDirectory: settings.cacheDirectory,
    install: true,
    onProgress,
    environment: environmentWithoutOurBin(),
  });
  const directory = join(settings.cacheDirectory, 'temporal');
  const record = join(directory, 'executable');
  // Another user's cache that names the same program need not be written.
  if ((await readFile(record, 'utf8').catch(() => null)) === found.executable) return found;
  const onError = unwritable(directory);
  await mkdir(directory, { recursive: true }).catch(onError);
  await writeFile(record, found.executable).catch(onError);
  return found;
}

/**
 * Removes the `bin` of every copy of this project from PATH. Its `temporal` starts the CLI found here, so it must not be
 * what is found.
 */
export function environmentWithoutOurBin(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const path = (environment.PATH ?? '').split(delimiter).filter((folder) => !hasOurTemporal(folder));
  return { ...environment, PATH: path.join(delimiter) };
}

/** The comment in `bin/temporal`. */
const OURS = '# The Temporal CLI that the project found or installed';

function hasOurTemporal(folder: string): boolean {
  const path = join(folder, 'temporal');
  try {
    // The program itself has 150 MB.
    return statSync(path).size < 4_096 && readFileSync(path, 'utf8').includes(OURS);
  } catch {
    return false;
  }
}
