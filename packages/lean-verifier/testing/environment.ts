/**
 * This machine's Lean with only its core library, for tests of checking. It is assembled once into the repository's
 * cache.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveToolchain } from '../toolchain/resolve.ts';
import type { LeanEnvironment } from '../verifier.ts';

const CACHE = join(import.meta.dirname, '../../../.cache');

export async function coreEnvironment(): Promise<LeanEnvironment> {
  const toolchain = await resolveToolchain({ cacheDirectory: CACHE, install: 'auto' });
  const { source, executable, version, identity, toleratesLibraryAxioms } = toolchain;
  return { source, executable, version, searchPath: [], fingerprint: identity, toleratesLibraryAxioms };
}

export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'stp-lean-test-'));
}
