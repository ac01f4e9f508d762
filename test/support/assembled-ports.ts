/** The ports of a worker, as it assembles them: real Lean, a store and scratch files in a folder of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { type AssembledPorts, assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { type WorkerSettings, workerSettings } from '../../workers/settings.ts';

/** The caller closes them. `cacheDirectory`: where they remember; without it where all workers of this checkout do. */
export async function openAssembledPorts(
  folder: string,
  cacheDirectory = workerSettings().cacheDirectory,
): Promise<AssembledPorts> {
  const settings: WorkerSettings = {
    ...workerSettings(),
    storeUri: pathToFileURL(folder).href,
    scratchDirectory: join(folder, 'scratch'),
  };
  // Lean is installed once for all.
  return assemblePorts({ ...settings, cacheDirectory }, await leanEnvironment(settings, () => {}));
}

/** The same for the tests of one file, in a folder of their own, until the last of them has ended. */
export async function assembledPorts(): Promise<{ readonly folder: string; readonly ports: AssembledPorts }> {
  const folder = mkdtempSync(join(tmpdir(), 'stp-ports-test-'));
  const ports = await openAssembledPorts(folder);
  afterAll(async () => {
    await ports.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, ports };
}
