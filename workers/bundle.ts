/** Bundles the workflows ahead of time and stores the bundle under a hash of all its inputs. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { REPOSITORY } from './settings.ts';

/** Files that the bundle may contain. The lock file stands for every bundled package. */
const INPUTS = [
  'workflows/**/*.ts',
  'packages/base/*.ts',
  'packages/config/{workflow.ts,nearest.ts,schemas/**/*.ts}',
  'package-lock.json',
];

export const bundleInputs = (): string[] => globSync(INPUTS, { cwd: REPOSITORY }).sort();

/** Returns the path of the bundle. Makes it (2–3 s) if sources or SDK changed. */
export async function workflowBundle(cacheDirectory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of bundleInputs()) hash.update(file).update(readFileSync(join(REPOSITORY, file)));
  const path = join(cacheDirectory, 'workflows', `${hash.digest('hex').slice(0, 16)}.js`);
  if (await stat(path).catch(() => null)) return path;
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(REPOSITORY, 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  await mkdir(join(path, '..'), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, path);
  return path;
}
