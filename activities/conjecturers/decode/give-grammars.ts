/** Gives the model grammars by type, under which it writes equations (`conjectures.source` `decode` and `both`). */

import { withHeartbeat } from '../../edge.ts';
import type { DataSources, Exploration, RunStore } from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { type ConjecturePlan, conjecturePlanSchema } from '../../round/conjecture-records.ts';
import type { ConjecturerInput } from '../conjecturer-turn.ts';
import {
  exploredBySeed,
  openTexts,
  type TypedPlan,
  targetCount,
  typedForms,
  typedPlanSchema,
} from '../explore/explored-texts.ts';

/**
 * Texts that the model writes for each conjecture that the round may attempt, beside exploration. About one in ten
 * holds on test values.
 */
const WRITTEN_PER_TARGET = 4;

export function giveGrammarsActivity(ports: RunStore & Exploration & DataSources<'definitions'>) {
  return {
    /** Gives the plan's entries prompts and grammars over the functions near their statements. */
    async giveGrammars(input: ConjecturerInput): Promise<TypedPlan> {
      const { run, name, plan, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/typed-plan.json`, typedPlanSchema, () =>
        withHeartbeat(async (signal, report) => {
          const entries = await readAll(store, plan, conjecturePlanSchema);
          const found = await exploredBySeed(ports, input, entries, 0, signal, report);
          const formOf = await typedForms(ports, config, found);
          const typed = entries.flatMap((entry, entryIndex): ConjecturePlan[] => {
            const form = formOf(entry);
            if (form === null) return [];
            const { prompt, messages, grammar } = form;
            return [
              { ...entry, prompt, ...(messages === undefined ? {} : { messages: [...messages] }), grammar, entryIndex },
            ];
          });
          const explores = config.conjectures.source === 'both';
          const texts = explores ? await openTexts(ports, input, entries, signal, report, formOf) : null;
          const asked = explores ? typed.slice(0, WRITTEN_PER_TARGET * targetCount(input, entries)) : typed;
          return {
            plan: await writeRecords(store, `${name}/typed-plan-*.jsonl`, asked, signal),
            explored:
              texts === null ? null : await writeRecords(store, `${name}/explored-texts-*.jsonl`, texts, signal),
          };
        }),
      );
    },
  };
}
