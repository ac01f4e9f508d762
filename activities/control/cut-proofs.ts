/** Cuts proofs into parts, which nodes certify in parallel. */

import { type ArtifactRef, artifactRefSchema, partFolder, provedSchema } from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { nextOf } from '../records/batches.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';

export interface CutProofsInput {
  readonly run: string;
  /** Folder of the stage's objects. */
  readonly name: string;
  readonly proved: ArtifactRef;
  /** Parts that nodes can certify at once: more are never cut, fewer where the proofs do not fill them. */
  readonly partsWanted: number;
}

/** A smaller part would cost Lean's starts as much time as its proofs. */
export const PART_PROOFS_MIN = 15;

export function cutProofsActivity(ports: RunStore) {
  return {
    /** Parts as alike as can be. They stay as they were cut, though the fleet is another when it is tried again. */
    async cutProofs({ run, name, proved, partsWanted }: CutProofsInput): Promise<readonly ArtifactRef[]> {
      const store = await ports.store(run);
      return once(store, `${name}/proof-parts.json`, z.array(artifactRefSchema), () =>
        withHeartbeat(async (signal) => {
          const filled = Math.floor(proved.count / PART_PROOFS_MIN);
          const size = Math.ceil(proved.count / Math.max(1, Math.min(filled, partsWanted)));
          const proofs = readRecords(store, proved, provedSchema);
          const parts: ArtifactRef[] = [];
          while (parts.length * size < proved.count) {
            const file = `${partFolder(name, 'certify', parts.length)}/found-*.jsonl`;
            parts.push(await writeRecords(store, file, nextOf(proofs, size), signal));
          }
          return parts;
        }),
      );
    },
  };
}
