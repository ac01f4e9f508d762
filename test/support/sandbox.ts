/** The sandbox of this machine, opened as the project does; null, and the reason printed, if it is not available. */
import { join } from 'node:path';
import { type LeanEnvironment, openSandbox, type Sandbox } from '@stp/lean-verifier';

const CACHE = join(import.meta.dirname, '..', '..', '.cache');

export async function machineSandbox(environment: LeanEnvironment): Promise<Sandbox | null> {
  const sandbox = await openSandbox('where-available', { cacheDirectory: CACHE, environment, install: 'auto' });
  if (sandbox.facts.kind !== 'none') return sandbox;
  console.warn(`tests of the sandbox are skipped: ${sandbox.facts.description}`);
  return null;
}
