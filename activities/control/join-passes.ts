/** Joins the passes of a round, which are over different statements. */

import { artifactRefSchema, type Rate, rateSchema } from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { RunStore } from '../ports.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { certifiedSchema, joinCertified } from '../round/certified.ts';

const passedSchema = z.strictObject({ rates: artifactRefSchema, certified: certifiedSchema });
/** What a pass of a round came to: of all its statements the rates, of the proved ones certificates. */
export type Passed = z.infer<typeof passedSchema>;

export function joinPassesActivity(ports: RunStore) {
  return {
    /** Passes of a round over different statements, as one. */
    async joinPasses(input: {
      readonly run: string;
      /** Folder of the round's objects. */
      readonly name: string;
      readonly passes: readonly Passed[];
    }): Promise<Passed> {
      const { run, name, passes } = input;
      const store = await ports.store(run);
      return once(store, `${name}/passed.json`, passedSchema, () =>
        withHeartbeat(async (signal) => {
          async function* rates(): AsyncGenerator<Rate> {
            for (const pass of passes) yield* readRecords(store, pass.rates, rateSchema);
          }
          const certified = passes.map((pass) => pass.certified);
          return {
            rates: await writeRecords(store, `${name}/rates-*.jsonl`, rates(), signal),
            certified: await joinCertified(store, name, certified, signal),
          };
        }),
      );
    },
  };
}
