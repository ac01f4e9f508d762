/** Samples the texts of a round's conjectures. */

import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { withHeartbeat } from '../../edge.ts';
import type { RunModel, RunScratch, RunStore } from '../../ports.ts';
import { once, readRecords, writeRecords } from '../../records/record-files.ts';
import { conjectureTextSchema } from '../../round/conjecture-records.ts';
import { conjectureParts, type SampleConjecturesInput } from './conjecture-parts.ts';

export function sampleConjecturesActivity(ports: RunStore & RunScratch & RunModel<'sample'>) {
  return {
    /**
     * Samples one text for every planned input and keeps the complete ones. Works in parts, so finished work is not
     * repeated.
     */
    async sampleConjectures(input: SampleConjecturesInput): Promise<ArtifactRef> {
      const store = await ports.store(input.run);
      return once(store, `${input.name}/conjectured.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const parts = await Array.fromAsync(conjectureParts(ports, input, () => true, signal, report));
          async function* all() {
            for (const part of parts) yield* readRecords(store, part, conjectureTextSchema);
          }
          return writeRecords(store, `${input.name}/conjecture-texts-*.jsonl`, all(), signal);
        }),
      );
    },
  };
}
