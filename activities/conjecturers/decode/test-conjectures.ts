/** Tests the equations that the model wrote under a grammar by type (`conjectures.source` `decode` and `both`). */

import { type ArtifactRef, artifactRefSchema } from '@stp/config/records';
import type { EquationsToTest, Tested, TestedEquations } from '@stp/lean-explore';
import { log } from '@temporalio/activity';
import { withHeartbeat } from '../../edge.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type { DataSources, EquationTests, Exploration, RunMonitor, RunStore } from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import {
  anchorOf,
  type ConjecturePlan,
  type ConjectureText,
  conjecturePlanSchema,
  conjectureTextSchema,
} from '../../round/conjecture-records.ts';
import type { ConjecturerInput } from '../conjecturer-turn.ts';
import { entriesBySeed, exploredBySeed, type TypedPlan, typedForms } from '../explore/explored-texts.ts';

export interface TestConjecturesInput extends Omit<ConjecturerInput, 'plan'> {
  readonly typed: TypedPlan;
  /** The model's texts for the plan's entries. */
  readonly texts: ArtifactRef;
}

const TESTED_AT_ONCE = 100;

export function testConjecturesActivity(
  ports: RunStore & Exploration & EquationTests & RunMonitor & DataSources<'definitions'>,
) {
  return {
    /**
     * Turns what the model wrote into statements, those that hold on test values; the others are kept with the reason. What explored
     * equations imply is left out where these are conjectures too.
     */
    async testConjectures(input: TestConjecturesInput): Promise<ArtifactRef> {
      const { run, name, typed, texts, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/conjectured.json`, artifactRefSchema, () =>
        withHeartbeat(async (signal, report) => {
          const entries = await readAll(store, typed.plan, conjecturePlanSchema);
          const found = await exploredBySeed(ports, input, entries, 0, signal, report);
          const formOf = await typedForms(ports, config, found);
          const written = await readAll(store, texts, conjectureTextSchema);
          const explored = typed.explored === null ? [] : await readAll(store, typed.explored, conjectureTextSchema);
          const bySeed = Map.groupBy(written, ({ input: at }) => entries[at]!.seedId);
          const statements = entriesBySeed(entries).filter(({ seedId }) => bySeed.has(seedId));
          const tested: ConjectureText[] = [];
          const verdicts: Record<string, number> = {};
          for (let from = 0; from < statements.length; from += TESTED_AT_ONCE) {
            const asked = statements.slice(from, from + TESTED_AT_ONCE).map((entry): AskedEquations => {
              const form = formOf(entry)!;
              const known = typed.explored === null ? [] : found.get(entry.seedId)!.equations;
              const its = bySeed.get(entry.seedId)!.map((text) => ({ ...text, words: form.read(text.text) }));
              return {
                header: entry.header,
                statement: anchorOf(entry),
                texts: its,
                candidates: its.flatMap(({ words }) => (words === null ? [] : [words])),
                known: known.flatMap(({ words }) => (words === null ? [] : [words])),
              };
            });
            const options = { ...config.verification, seed: config.seed };
            const answers = await ports.testEquations(run, asked, options, signal);
            for (const [at, one] of asked.entries()) {
              tested.push(...testedTexts(one, entries, answers[at]!));
              for (const { verdict } of answers[at]!.answers) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
            }
            report({ tested: tested.length, texts: written.length });
          }
          const counts = Object.entries(verdicts).map(([verdict, count]) => [`equations_${verdict}`, count]);
          await logMetrics(ports, run, metricsAt(name, 0, Object.fromEntries(counts)));
          const all = [...explored, ...tested].sort((a, b) => a.input - b.input);
          return writeRecords(store, `${name}/conjecture-texts-*.jsonl`, all, signal);
        }),
      );
    },
  };
}

interface AskedEquations extends EquationsToTest {
  readonly header: string | null;
  readonly statement: string;
  /** Texts with their words, null for none: these are no candidates. */
  readonly texts: readonly (ConjectureText & { readonly words: readonly string[] | null })[];
}

/** Returns nothing where the statement could not be read this time. */
function testedTexts(
  { statement, texts }: AskedEquations,
  entries: readonly ConjecturePlan[],
  { answers, reason }: TestedEquations,
): ConjectureText[] {
  if (reason !== '') {
    log.warn('equations were not tested, and are left out', { statement, equations: texts.length, reason });
    return [];
  }
  const next = answers.values();
  return texts.map(({ input, text, words }) => {
    const { prompt, entryIndex } = entries[input]!;
    const tested = words === null ? undefined : next.next().value;
    return { input: entryIndex!, ...statedOrRefused({ prompt, target: text }, tested) };
  });
}

function statedOrRefused(
  typed: NonNullable<ConjectureText['typed']>,
  tested: Tested | undefined,
): Omit<ConjectureText, 'input'> {
  if (tested === undefined || tested.text === null) return { text: typed.target, refused: 'unparsable' };
  switch (tested.verdict) {
    case 'fails':
      return { text: tested.text, typed, refused: 'fails-tests' };
    case 'follows':
      return { text: tested.text, typed, refused: 'follows' };
    case 'holds':
    case 'unevaluated':
      return { text: tested.text, typed };
  }
}
