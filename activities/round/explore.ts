/**
 * Conjectures over the functions near each seed or target of the plan: equations that hold on test values, found by exploration
 * (`conjectures.source` `explore`), written by the model under a grammar by type and then tested (`decode`), or of both kinds
 * (`both`); `random` ones as a control.
 */

import { type ConjecturerConfig, conjecturing, formatOf, type RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import type { EquationsToTest, ExploredStatement, Tested, TestedEquations } from '@stp/lean-explore';
import {
  asPrompt,
  boundNames,
  displayStatement,
  namedTypedForm,
  type Prompt,
  type TypedForm,
  typedForm,
} from '@stp/selfplay';
import { log } from '@temporalio/activity';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import { logMetrics, metricsAt } from '../metrics.ts';
import type { Ports } from '../ports.ts';
import { once, readAll, writeRecords } from '../records/record-files.ts';
import { certifiedRates, readManifests } from '../run/history.ts';
import {
  type ConjecturePlan,
  type ConjectureText,
  conjecturePlanSchema,
  conjecturesOf,
  conjectureTextSchema,
} from './conjecture-records.ts';

export interface ExploreConjecturesInput {
  readonly run: string;
  /** Folder of the round. */
  readonly name: string;
  readonly plan: ArtifactRef;
  /** Manifests of the rounds before; missing in older requests. */
  readonly history?: readonly ArtifactRef[];
  readonly config: Pick<RunConfig, 'seed' | 'verification' | 'conjectures' | 'prover'>;
}

const typedPlanSchema = z.strictObject({
  /** The plan with prompts and grammars, without the entries over whose functions nothing can be written. */
  plan: artifactRefSchema,
  /** Explored texts (`ConjectureText`) for its entries; null where none are wanted. */
  explored: artifactRefSchema.nullable(),
});
export type TypedPlan = z.infer<typeof typedPlanSchema>;

export interface TestConjecturesInput extends Omit<ExploreConjecturesInput, 'plan'> {
  readonly typed: TypedPlan;
  /** What the model wrote for the plan's entries. */
  readonly texts: ArtifactRef;
}

/** Statements whose signatures are explored, or tested over, in one go: what is done after each is told by a heartbeat. */
const EXPLORED_AT_ONCE = 100;
/** Open equations that a round wants for each of its places: some are trivial, some are no conjectures for other reasons. */
const OPEN_PER_PLACE = 2;
const TESTED_AT_ONCE = 100;

export function exploreActivities(ports: Ports) {
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

    /** Gives the plan's entries prompts and grammars over the functions near their statements. */
    async typeConjectures(input: ExploreConjecturesInput): Promise<TypedPlan> {
      const { run, name, plan, config } = input;
      const store = await ports.store(run);
      return once(store, `${name}/typed-plan.json`, typedPlanSchema, () =>
        withHeartbeat(async (signal, report) => {
          const entries = await readAll(store, plan, conjecturePlanSchema);
          const found = await exploredBySeed(ports, input, entries, 0, signal, report);
          const formOf = await typedForms(ports, config, found);
          const typed = entries.flatMap((entry): ConjecturePlan[] => {
            const form = formOf(entry);
            if (form === null) return [];
            const { prompt, messages, grammar } = form;
            return [{ ...entry, prompt, ...(messages === undefined ? {} : { messages: [...messages] }), grammar }];
          });
          const { source } = config.conjectures;
          const texts = source === 'both' ? await openTexts(ports, input, typed, signal, report, formOf) : null;
          return {
            plan: await writeRecords(store, `${name}/typed-plan-*.jsonl`, typed, signal),
            explored:
              texts === null ? null : await writeRecords(store, `${name}/explored-texts-*.jsonl`, texts, signal),
          };
        }),
      );
    },

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
            for (const [place, one] of asked.entries()) {
              tested.push(...testedTexts(one, answers[place]!));
              for (const { verdict } of answers[place]!.answers) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
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
  /** With their words, null where they have none: these are no candidates. */
  readonly texts: readonly (ConjectureText & { readonly words: readonly string[] | null })[];
}

/** None where the statement could not be read this time. */
function testedTexts({ statement, texts }: AskedEquations, { answers, reason }: TestedEquations): ConjectureText[] {
  if (reason !== '') {
    log.warn('equations were not tested, and are left out', { statement, equations: texts.length, reason });
    return [];
  }
  const next = answers.values();
  return texts.map(({ input, text, words }) => ({
    input,
    ...statedOrRefused(text, words === null ? undefined : next.next().value),
  }));
}

function statedOrRefused(typed: string, tested: Tested | undefined): Omit<ConjectureText, 'input'> {
  if (tested === undefined || tested.text === null) return { text: typed, refused: 'unparsable' };
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

/** The first entry of each statement. */
function entriesBySeed(entries: readonly ConjecturePlan[]): ConjecturePlan[] {
  const first = new Map<string, ConjecturePlan>();
  for (const entry of entries) if (!first.has(entry.seedId)) first.set(entry.seedId, entry);
  return [...first.values()];
}

/** Explored texts for the entries; explored deeper where few of them are open. */
async function openTexts(
  ports: Ports,
  input: Omit<ExploreConjecturesInput, 'plan'>,
  entries: readonly ConjecturePlan[],
  signal: AbortSignal,
  report: (progress: object) => void,
  formOf?: (entry: ConjecturePlan) => TypedForm | null,
): Promise<ConjectureText[]> {
  const conjectures = conjecturing(input.config.conjectures);
  const { perRoundMax } = conjectures;
  const places = typeof perRoundMax === 'number' ? perRoundMax : entriesBySeed(entries).length;
  const most = 'deeperMax' in conjectures ? conjectures.deeperMax : 0;
  const proved = await provedBefore(await ports.store(input.run), input.history ?? []);
  for (let deeper = 0; ; deeper++) {
    const found = await exploredBySeed(ports, input, entries, deeper, signal, report);
    const texts = exploredTexts(entries, found, proved, formOf);
    if (deeper >= most || texts.length >= OPEN_PER_PLACE * places) return texts;
  }
}

/** A text means something under its header. */
const keyOf = (header: string | null, text: string): string => `${header ?? ''}\n${text}`;

/** Keys of the conjectures of earlier rounds that have a certified proof. */
async function provedBefore(store: ObjectStore, history: readonly ArtifactRef[]): Promise<ReadonlySet<string>> {
  const manifests = await readManifests(store, history);
  const best = await certifiedRates(store, manifests);
  const keys = new Set<string>();
  for await (const { id, header, statement } of conjecturesOf(store, manifests))
    if (best.has(id)) keys.add(keyOf(header, displayStatement(statement)));
  return keys;
}

async function exploredBySeed(
  ports: Ports,
  { run, config }: Pick<ExploreConjecturesInput, 'run' | 'config'>,
  entries: readonly ConjecturePlan[],
  deeper: number,
  signal: AbortSignal,
  report: (progress: object) => void,
): Promise<Map<string, ExploredStatement>> {
  const statements = entriesBySeed(entries);
  const bySeed = new Map<string, ExploredStatement>();
  const { conjectures } = config;
  const options = {
    ...config.verification,
    seed: config.seed,
    random: conjectures.source === 'random',
    deeper,
    coreTwins: exploresCore(conjectures),
  };
  for (let from = 0; from < statements.length; from += EXPLORED_AT_ONCE) {
    const some = statements.slice(from, from + EXPLORED_AT_ONCE);
    const asked = some.map((entry) => ({ header: entry.header, statement: anchorOf(entry) }));
    const found = await ports.explore(run, asked, options, signal);
    for (const [place, { seedId }] of some.entries()) bySeed.set(seedId, found[place]!);
    report({ explored: from + some.length, statements: statements.length });
  }
  return bySeed;
}

const exploresCore = (conjectures: ConjecturerConfig): boolean => 'coreTwins' in conjectures && conjectures.coreTwins;

async function typedForms(
  ports: Ports,
  { prover }: Pick<RunConfig, 'prover'>,
  found: ReadonlyMap<string, ExploredStatement>,
): Promise<(entry: ConjecturePlan) => TypedForm | null> {
  const definitions = await ports.sources.definitions();
  const forms = new Map<string, TypedForm | null>();
  const ask = (content: string): Prompt => asPrompt(formatOf(prover), [{ role: 'user', content }]);
  return (entry) => {
    let form = forms.get(entry.seedId);
    if (form === undefined) {
      const statement = anchorOf(entry);
      const shown = definitions.under(entry.header, statement, boundNames(statement));
      const explored = found.get(entry.seedId);
      if (explored === undefined) form = null;
      else if (prover.slots) form = typedForm(statement, explored.signature, shown, prover.definitionTokens);
      else form = namedTypedForm(statement, explored.signature, shown, ask);
      forms.set(entry.seedId, form);
    }
    return form;
  };
}

function exploredTexts(
  entries: readonly ConjecturePlan[],
  found: ReadonlyMap<string, ExploredStatement>,
  proved: ReadonlySet<string>,
  formOf: (entry: ConjecturePlan) => TypedForm | null = () => null,
): ConjectureText[] {
  // What lacks theorems that its proof is likely to need comes last.
  const inTurn = ({ seedId, header }: ConjecturePlan): ExploredStatement['equations'] => {
    const equations = found.get(seedId)?.equations ?? [];
    const isReady = ({ after }: (typeof equations)[number]): boolean =>
      after.every((text) => proved.has(keyOf(header, text)));
    return equations.toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)));
  };
  const left = new Map(entriesBySeed(entries).map((entry) => [entry.seedId, inTurn(entry).values()]));
  const taken = new Set(proved);
  return entries.flatMap((entry, input) => {
    // An array's iterator goes on from where it stood.
    const equation = left.get(entry.seedId)?.find(({ text }) => !taken.has(keyOf(entry.header, text)));
    if (equation === undefined) return [];
    taken.add(keyOf(entry.header, equation.text));
    const typed = equation.words === null ? null : (formOf(entry)?.write(equation.words) ?? null);
    return [{ input, text: equation.text, ...(typed === null ? {} : { typed }) }];
  });
}

function anchorOf({ origin }: ConjecturePlan): string {
  return origin.kind === 'target' ? origin.targetStatement : origin.easyStatement;
}
