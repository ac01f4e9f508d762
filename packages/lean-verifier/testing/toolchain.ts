/** The Lean for tests: found on this machine, or assembled once into the repository's cache. */
import { join } from 'node:path';
import { resolveToolchain } from '../toolchain/resolve.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';

export const CACHE_DIRECTORY = join(import.meta.dirname, '../../../.cache');

export async function leanForTests(): Promise<Toolchain> {
  return await resolveToolchain({ cacheDirectory: CACHE_DIRECTORY, install: 'auto' });
}
