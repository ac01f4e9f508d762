/** Real Lean with the compiled library, for tests that check something. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIBRARY_HEADER, openVerifier, type Verifier } from '@stp/lean-verifier';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';

/** A verifier without a cache; `close` it and its folder goes. */
export async function testVerifier(): Promise<Verifier> {
  const environment = await leanEnvironment(workerSettings(), () => undefined);
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'stp-lean-'));
  const verifier = await openVerifier({
    environment,
    libraryHeader: LIBRARY_HEADER,
    processes: 2,
    cacheDirectory: null,
    scratchDirectory,
  });
  return {
    ...verifier,
    close: async () => {
      await verifier.close();
      await rm(scratchDirectory, { recursive: true, force: true });
    },
  };
}
