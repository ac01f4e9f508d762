/** Grows the library of a run (`library: grow`) by certified proofs. */

import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { LibraryGrowth, RunStore } from '../ports.ts';
import { once, writeRecords } from '../records/record-files.ts';
import { type Certificates, grownTheorems, libraryAfter } from '../round/library.ts';
import type { RoundContext } from '../round/round-context.ts';
import { lastManifest } from '../run/history.ts';

const grownSchema = z.strictObject({ library: artifactRefSchema.nullable() });

export interface GrowLibraryInput extends Omit<RoundContext, 'library'> {
  /**
   * Certified proofs of the round's own conjectures, and the library below them. Missing: grow by the previous round.
   */
  readonly own?: Pick<Certificates, 'library' | 'proved'>;
}

export function growLibraryActivity(ports: RunStore & LibraryGrowth) {
  return {
    /**
     * Adds to the library below certified proofs the theorems that they prove, each with the shortest proof that
     * compiles. Null while no module exists.
     */
    async growLibrary(input: GrowLibraryInput): Promise<ArtifactRef | null> {
      const { run, round, name, history, config, own } = input;
      const store = await ports.store(run);
      if (own === undefined && history.length === 0) return null;
      const { library } = await once(store, `${name}/library.json`, grownSchema, () =>
        withHeartbeat(async (signal) => {
          const certificates = own === undefined ? (await lastManifest(store, history))! : { ...own, round };
          const { before, added } = await libraryAfter(ports, run, certificates, config, signal);
          if (added.length === 0) return { library: before };
          const all = [...(await Array.fromAsync(grownTheorems(store, before))), ...added];
          return { library: await writeRecords(store, `${name}/library-*.jsonl`, all, signal) };
        }),
      );
      return library;
    },
  };
}
