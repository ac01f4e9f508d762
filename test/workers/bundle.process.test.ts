/** Tests that the cached bundle of workflows is as new as its sources. Costs 3 s if it must be made. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { bundleInputs, workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';

it('is named by all files of ours that are in it', async () => {
  const code = await readFile(await workflowBundle(workerSettings().cacheDirectory), 'utf8');
  const bundled = new Set(Array.from(code.matchAll(/"\.\/((?!node_modules\/)[^"]+\.ts)"/gu), ([, file]) => file!));
  expect([...bundled]).toContain('workflows/stages/train.ts');
  expect([...bundled.difference(new Set(bundleInputs()))]).toEqual([]);
});
