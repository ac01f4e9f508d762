/**
 * Conjectures by exploration (`conjectures.source` `explore`): equations over the functions near each seed or target of the plan
 * that hold on test values; `random` ones as a control.
 */

import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { withHeartbeat } from '../edge.ts';
import type { Exploration, RunStore } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { conjecturePlanSchema } from '../round/conjecture-records.ts';
import { type ExploreConjecturesInput, openTexts } from '../round/explored-texts.ts';

export function exploreConjecturesActivity(ports: RunStore & Exploration) {
  return {
    /**
     * Each copy of a statement in the plan gets its next equation that no earlier round has proved and no copy before has got, also
     * of another statement under the same header; none where there are no more.
     */
    async exploreConjectures(input: ExploreConjecturesInput): Promise<ArtifactRef> {
      const { run, name, plan } = input;
      const store = await ports.store(run);
      return once(store, `${name}/conjectured.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const entries = await readAll(store, plan, conjecturePlanSchema);
          const texts = await openTexts(ports, input, entries, signal, report);
          return writeRecords(store, `${name}/conjecture-texts-*.jsonl`, texts, signal);
        }),
      );
    },
  };
}
