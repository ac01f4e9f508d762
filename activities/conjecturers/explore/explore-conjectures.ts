/**
 * Finds conjectures by exploration (`conjectures.source` `explore`): equations over the functions near each seed or
 * target of the plan that hold on test values. Random equations (`random`) serve as a control.
 */

import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import { withHeartbeat } from '../../edge.ts';
import type { Exploration, RunStore } from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { conjecturePlanSchema } from '../../round/conjecture-records.ts';
import type { ConjecturerInput } from '../conjecturer-turn.ts';
import { openTexts } from './explored-texts.ts';

export function exploreConjecturesActivity(ports: RunStore & Exploration) {
  return {
    /**
     * Gives each entry of the plan the next equation of its statement. An equation is skipped if an earlier round
     * proved it, or if an earlier entry under the same header has it. An entry gets none when its equations are used
     * up.
     */
    async exploreConjectures(input: ConjecturerInput): Promise<ArtifactRef> {
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
