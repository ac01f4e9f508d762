/** Explored equations as conjectures for the entries of a plan, and the forms under which a model writes such equations. */

import { conjecturing, formatOf, type RunConfig } from '@stp/config';
import { type ArtifactRef, artifactRefSchema, type ObjectStore } from '@stp/config/records';
import type { ExploredStatement } from '@stp/lean-explore';
import {
  asPrompt,
  boundNames,
  displayStatement,
  namedTypedForm,
  type Prompt,
  type TypedForm,
  typedForm,
} from '@stp/selfplay';
import { z } from 'zod';
import type { DataSources, Exploration, RunStore } from '../../ports.ts';
import { anchorOf, type ConjecturePlan, type ConjectureText, conjecturesOf } from '../../round/conjecture-records.ts';
import { bestRates, readManifests } from '../../run/history.ts';
import type { ConjecturerInput } from '../conjecturer-turn.ts';

export const typedPlanSchema = z.strictObject({
  /** The plan with prompts and grammars. Entries over whose functions no equation can be written are left out. */
  plan: artifactRefSchema,
  /** Explored texts (`ConjectureText`) for the entries; null if the round asks for none. */
  explored: artifactRefSchema.nullable(),
});
export type TypedPlan = z.infer<typeof typedPlanSchema>;

/** Number of statements whose functions are explored, or tested over, between two heartbeats. */
const EXPLORED_AT_ONCE = 100;
/**
 * Unproved equations that a round wants for each conjecture it may attempt: some will be trivial, and others no
 * conjectures for other reasons.
 */
const OPEN_PER_TARGET = 2;

/** The first entry of each statement. */
export function entriesBySeed(entries: readonly ConjecturePlan[]): ConjecturePlan[] {
  const first = new Map<string, ConjecturePlan>();
  for (const entry of entries) if (!first.has(entry.seedId)) first.set(entry.seedId, entry);
  return [...first.values()];
}

/** Returns about how many conjectures the round may attempt. */
export function targetCount({ config }: Pick<ConjecturerInput, 'config'>, entries: readonly ConjecturePlan[]): number {
  const { perRoundMax } = conjecturing(config.conjectures);
  return typeof perRoundMax === 'number' ? perRoundMax : entriesBySeed(entries).length;
}

/** Returns explored texts for the entries. Explores deeper if too few of them are unproved. */
export async function openTexts(
  ports: RunStore & Exploration,
  input: Omit<ConjecturerInput, 'plan'>,
  entries: readonly ConjecturePlan[],
  signal: AbortSignal,
  report: (progress: object) => void,
  formOf?: (entry: ConjecturePlan) => TypedForm | null,
): Promise<ConjectureText[]> {
  const { conjectures } = input.config;
  const targets = targetCount(input, entries);
  const most = 'deeperMax' in conjectures ? conjectures.deeperMax : 0;
  const proved = await provedBefore(await ports.store(input.run), input.history);
  for (let deeper = 0; ; deeper++) {
    const found = await exploredBySeed(ports, input, entries, deeper, signal, report);
    const texts = exploredTexts(entries, found, proved, formOf);
    if (deeper >= most || texts.length >= OPEN_PER_TARGET * targets) return texts;
  }
}

/** The same text can mean different things under two headers, so the key includes the header. */
const keyOf = (header: string | null, text: string): string => `${header ?? ''}\n${text}`;

/** Keys of the conjectures of earlier rounds that have a certified proof. */
async function provedBefore(store: ObjectStore, history: readonly ArtifactRef[]): Promise<ReadonlySet<string>> {
  const manifests = await readManifests(store, history);
  const best = await bestRates(store, manifests);
  const keys = new Set<string>();
  for await (const { id, header, statement } of conjecturesOf(store, manifests))
    if (best.has(id)) keys.add(keyOf(header, displayStatement(statement)));
  return keys;
}

export async function exploredBySeed(
  ports: Exploration,
  { run, config }: Pick<ConjecturerInput, 'run' | 'config'>,
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
    coreEquivalents: 'coreEquivalents' in conjectures && conjectures.coreEquivalents,
    coreFunctions: 'coreFunctions' in conjectures && conjectures.coreFunctions,
  };
  for (let from = 0; from < statements.length; from += EXPLORED_AT_ONCE) {
    const some = statements.slice(from, from + EXPLORED_AT_ONCE);
    const asked = some.map((entry) => ({ header: entry.header, statement: anchorOf(entry) }));
    const found = await ports.explore(run, asked, options, signal);
    for (const [at, { seedId }] of some.entries()) bySeed.set(seedId, found[at]!);
    report({ explored: from + some.length, statements: statements.length });
  }
  return bySeed;
}

export async function typedForms(
  ports: DataSources<'definitions'>,
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
  // Equations that lack theorems which their proof probably needs come last.
  const inTurn = ({ seedId, header }: ConjecturePlan): ExploredStatement['equations'] => {
    const equations = found.get(seedId)?.equations ?? [];
    const isReady = ({ after }: (typeof equations)[number]): boolean =>
      after.every((text) => proved.has(keyOf(header, text)));
    return equations.toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)));
  };
  const statements = new Map<string, number>();
  const left = new Map(
    entriesBySeed(entries).map((entry) => {
      const list = inTurn(entry);
      for (const { text } of list) {
        const key = keyOf(entry.header, text);
        statements.set(key, (statements.get(key) ?? 0) + 1);
      }
      return [entry.seedId, list.values()];
    }),
  );
  const taken = new Set(proved);
  return entries.flatMap((entry, input) => {
    // `left` holds iterators, so the search continues after the equation that was taken last.
    const next = left.get(entry.seedId)?.find(({ text }) => !taken.has(keyOf(entry.header, text)));
    if (next === undefined) return [];
    const { text, words, isCore } = next;
    const key = keyOf(entry.header, text);
    taken.add(key);
    const form = words === null ? null : formOf(entry);
    const target = words === null ? null : (form?.write(words) ?? null);
    const its = { statements: statements.get(key)!, isCore };
    return [{ input, text, found: its, ...(target === null ? {} : { typed: { prompt: form!.prompt, target } }) }];
  });
}
