/** Joins the passes of a round. No statement is in two passes. */

import { type Proved, provedSchema, type Rate, rateSchema } from '@stp/config/records';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { type Collected, collectedSchema } from '../round/collected.ts';

export function joinPassesActivity(ports: RunStore) {
  return {
    /** Joins the rates and proofs of the passes into one result. */
    async joinPasses(input: {
      readonly run: string;
      /** Folder of the round's objects. */
      readonly name: string;
      readonly passes: readonly Collected[];
    }): Promise<Collected> {
      const { run, name, passes } = input;
      const store = await ports.store(run);
      return once(store, `${name}/passed.json`, collectedSchema, () =>
        withHeartbeat(async (signal) => {
          async function* rates(): AsyncGenerator<Rate> {
            for (const pass of passes) yield* readRecords(store, pass.rates, rateSchema);
          }
          async function* proved(): AsyncGenerator<Proved> {
            for (const pass of passes) yield* readRecords(store, pass.proved, provedSchema);
          }
          return {
            rates: await writeRecords(store, `${name}/rates-*.jsonl`, rates(), signal),
            proved: await writeRecords(store, `${name}/proved-*.jsonl`, proved(), signal),
            disagreements: passes.reduce((sum, { disagreements }) => sum + disagreements, 0),
          };
        }),
      );
    },
  };
}
