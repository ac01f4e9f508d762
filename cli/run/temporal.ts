/** Finds or installs the Temporal CLI, and remembers it for `bin/temporal`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type FoundTemporal, findTemporal } from '../../infra/temporal/find.ts';
import { unwritable } from '../../infra/unwritable.ts';
import { REPOSITORY, type WorkerSettings } from '../../workers/settings.ts';

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

/** Removes our `bin` from PATH: `bin/temporal` starts the CLI found here, so it must not find itself. */
export function environmentWithoutOurBin(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const bin = join(REPOSITORY, 'bin');
  const path = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== bin);
  return { ...environment, PATH: path.join(delimiter) };
}
