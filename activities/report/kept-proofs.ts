/**
 * The proofs that a run keeps, one for each statement, as `proofs.lean`. They are written for the report, or ahead of
 * it.
 */

import {
  type ArtifactRef,
  artifactRefSchema,
  type Proved,
  provedSchema,
  roundManifestSchema,
} from '@stp/config/records';
import { z } from 'zod';
import type { DataSources, FileCheck, RunScratch, RunStore } from '../ports.ts';
import { once, readJson, readRecords } from '../records/record-files.ts';
import { grownTheorems } from '../round/library.ts';
import type { RunState } from '../run/run-state.ts';
import { writeCheckedProofs } from './write-checked-proofs.ts';

const keptProofsSchema = z.strictObject({
  /** Reference of `proofs.lean`. */
  proofs: artifactRefSchema,
  /** Number of proofs in it and its continuation files. */
  kept: z.number().int().nonnegative(),
});

/** Writes the run's `proofs.lean`, once. */
export async function keptProofs(
  ports: RunStore & RunScratch & FileCheck & DataSources<'modules'>,
  run: string,
  state: RunState,
  signal: AbortSignal,
): Promise<z.infer<typeof keptProofsSchema>> {
  const store = await ports.store(run);
  return once(store, 'report/proofs.json', keptProofsSchema, async () => {
    // Keeps the shortest proof of each statement; the rounds' files have all others.
    const shortest = new Map<string, Proved>();
    // A round's library contains everything that was added before its statements were tried.
    let library: ArtifactRef | null = null;
    for (const outcome of state.outcomes) {
      const manifest = await readJson(store, outcome.manifest, roundManifestSchema);
      library = manifest.library ?? library;
      for await (const proof of readRecords(store, manifest.proved, provedSchema)) {
        const seen = shortest.get(proof.statementId);
        if (!seen || proof.proof.length < seen.proof.length) shortest.set(proof.statementId, proof);
      }
    }
    const kept = [...shortest.values()].sort((a, b) => a.round - b.round || (a.name < b.name ? -1 : 1));
    const grown = await Array.fromAsync(grownTheorems(store, library));
    const limits = state.config.verification;
    return {
      proofs: await writeCheckedProofs(ports, { run, kept, library: grown, limits }, signal),
      kept: kept.length,
    };
  });
}
