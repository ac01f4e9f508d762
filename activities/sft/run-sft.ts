/**
 * The SFT set of a run, made from the repository's library or streamed from a prepared set. In both cases no prompt and
 * no target contains a held-out statement, up to names.
 */
import { StpError } from '@stp/base';
import { conditionOf, conjecturerIn, meetsStates, type Prompts, type RunConfig, writesTactics } from '@stp/config';
import { contentId } from '@stp/config/ids';
import type { Example, LibraryTheorem } from '@stp/config/records';
import { STATE_MARKER } from '@stp/config/words';
import type { SftManifest } from '@stp/datasets';
import { displayStatement, formExamples, goalStatement, randomStream, type Stated, statementKey } from '@stp/selfplay';
import type { LemmaSources } from '../lemma-shelf.ts';
import type { Sources } from '../ports.ts';
import { conjecturerFormOf, proverForms, slotKeys, stateForms, theoremKeys } from '../prover-forms.ts';
import type { SealedKeys } from '../run/sealed-keys.ts';
import { chooseHeldOut, LIBRARY_HELD_OUT } from './held-out.ts';
import {
  CONJECTURER_WEIGHT,
  type ConjecturerExamples,
  libraryExamples,
  type StateExamples,
} from './library-examples.ts';
import { conditionedOnTarget, restyled, statementKeysOf } from './statements-of.ts';
import { typedExamples } from './typed-examples.ts';

/** `data.sft` of a run that takes the repository's own library. */
export const LIBRARY_SFT = 'library';

/** Sources of an SFT set. */
export type SftSources = LemmaSources &
  Pick<Sources, 'sftSet' | 'searchedProofs' | 'tracedProofs' | 'exploredEquations' | 'triedConjectures'>;

export interface SftCounts {
  readonly libraryProofs: number;
  readonly searchedProofs: number;
  readonly conjecturerExamples: number;
  readonly excludedForHeldOut: number;
}

export interface RunSft {
  readonly train: Iterable<Example> | AsyncIterable<Example>;
  readonly heldOut: Iterable<Example> | AsyncIterable<Example>;
  /** `statementKey` of every statement in `heldOut`. */
  readonly heldOutKeys: Iterable<string> | AsyncIterable<string>;
  /** The theorems for examples, without held-out ones. */
  readonly theorems: Iterable<LibraryTheorem> | AsyncIterable<LibraryTheorem>;
  /** Complete after `train` has been read to its end. */
  counts(): SftCounts;
}

export async function runSft(sources: SftSources, config: RunConfig, sealed: SealedKeys): Promise<RunSft> {
  const found = await embeddedSft(sources, config, sealed);
  if (config.prover.slots || config.prover.format === 'embedded') return found;
  const formOf = await proverForms(sources, config.prover);
  const conjecturer = conjecturerFormOf(config.prover);
  async function* styled(examples: Iterable<Example> | AsyncIterable<Example>): AsyncGenerator<Example> {
    for await (const example of examples) yield* restyled(example, formOf, conjecturer);
  }
  return { ...found, train: styled(found.train), heldOut: styled(found.heldOut) };
}

/** Makes the SFT set in the embedded form, in which held-out statements are recognised. */
async function embeddedSft(sources: SftSources, config: RunConfig, sealed: SealedKeys): Promise<RunSft> {
  if (config.data.sft === LIBRARY_SFT) return librarySft(sources, config, sealed);
  if (config.prover.slots)
    throw new StpError(
      'STP1001',
      `the set ${config.data.sft} has names, but prover.slots requires slots`,
      'Set prover.slots=false, or data.sft=library.',
    );
  const found = await preparedSft(sources, config, sealed.statementKeys);
  return conditionOf(config.conjectures) === 'proved-seed' ? found : { ...found, train: forTargets(found.train) };
}

/** Returns the prompts in the embedded form. */
const embeddedPrompts = (prompts: Prompts): Prompts =>
  prompts.slots ? prompts : { ...prompts, format: 'embedded', customFormat: null };

async function librarySft(
  sources: SftSources,
  config: RunConfig,
  { statementKeys: sealedStatements, theoremKeys: sealedTheorems, slotKeys: sealedSlots }: SealedKeys,
): Promise<RunSft> {
  const formOf = await proverForms(sources, embeddedPrompts(config.prover));
  const slotKeyOf = await slotKeys(sources, config.prover);
  const all = await sources.libraryTheorems();
  const keyed = all.map((theorem) => ({ theorem, key: statementKey(null, theorem.statement) }));
  const isSealedSlot = (stated: Stated): boolean => sealedSlots.has(slotKeyOf(stated) ?? '');
  const open = keyed.filter(({ theorem, key }) => !sealedStatements.has(key) && !isSealedSlot(theorem));
  const ownHeldOut = chooseHeldOut(
    open.map(({ theorem }) => theorem.statement),
    LIBRARY_HELD_OUT,
    randomStream(config.seed, 'sft-held-out'),
  );
  const shown = open.filter(({ key }) => !ownHeldOut.has(key));
  const theoremKeyOf = await theoremKeys(sources, config.prover);
  const learnsFrom = conjecturerIn(config.conjectures).examples;
  let conjectured: ConjecturerExamples;
  if (learnsFrom === 'tuples') conjectured = { kind: 'tuples' };
  // A language model is asked for equations in words, and the library has no examples of that.
  else if (learnsFrom !== 'equations' || !config.prover.slots) conjectured = { kind: 'none' };
  else
    conjectured = {
      kind: 'equations',
      examples: typedExamples({
        explored: await sources.exploredEquations(),
        theorems: new Map(shown.map(({ theorem }) => [theorem.name, theorem])),
        definitions: await sources.definitions(),
        definitionTokens: config.prover.definitionTokens,
        paid: await paidTexts(sources),
        isSealed: (stated) => sealedTheorems.has(theoremKeyOf(stated)),
        perTheoremMax: config.data.conjecturerExamplesPerTheoremMax,
        weight: CONJECTURER_WEIGHT,
        seed: config.seed,
      }),
    };
  const { examples, ...counts } = await libraryExamples({
    theorems: open.map(({ theorem }) => theorem),
    conjecturer: conjectured,
    excluded: ownHeldOut,
    searched: config.data.useSearchedProofs ? sources.searchedProofs() : null,
    tuplesPerTheoremMax: config.data.conjecturerExamplesPerTheoremMax,
    conditionOn: conditionOf(config.conjectures),
    seed: config.seed,
    formOf,
    wholeProofs: !writesTactics(config.prover.mode),
    states: meetsStates(config.prover.mode)
      ? await libraryStates(sources, config, sealedStatements, isSealedSlot)
      : null,
    onlyShownPremises: config.prover.slots,
  });
  const order = randomStream(config.seed, 'sft', contentId(...open.map(({ theorem }) => theorem.id)));
  return {
    train: order.shuffle(examples),
    heldOut: open
      .filter(({ key }) => ownHeldOut.has(key))
      .map(({ theorem }) => ({ theorem, form: formOf(theorem) }))
      .filter(
        ({ theorem, form }) => !config.prover.slots || theorem.premises.every((name) => form.lemmas?.includes(name)),
      )
      .flatMap(({ theorem, form }) => formExamples(form, theorem.proof, 1)),
    heldOutKeys: ownHeldOut,
    theorems: shown.map(({ theorem }) => theorem),
    counts: () => ({ ...counts, excludedForHeldOut: all.length - open.length }),
  };
}

async function paidTexts(sources: Pick<SftSources, 'triedConjectures'>): Promise<ReadonlySet<string>> {
  const paid = new Set<string>();
  for await (const { statement, pays } of sources.triedConjectures()) if (pays) paid.add(displayStatement(statement));
  return paid;
}

/** Leaves out states that say the same as a statement of the run, as theorems that do so are left out. */
async function libraryStates(
  sources: SftSources,
  { prover }: RunConfig,
  sealedStatements: ReadonlySet<string>,
  isSealedSlot: (stated: Stated) => boolean,
): Promise<StateExamples> {
  const traced = await sources.tracedProofs();
  if (traced.length === 0)
    throw new StpError(
      'STP1501',
      `data/sft/steps.jsonl has no traced proofs, and prover.mode is ${prover.mode}`,
      'Make it by node packages/lean-explore/library/trace-main.ts, or take prover.mode=whole.',
    );
  return {
    traced,
    formOf: await stateForms(sources, prover),
    isSealed: ({ header }, goal) => {
      const statement = goalStatement(goal);
      return sealedStatements.has(statementKey(null, statement)) || isSealedSlot({ header, statement });
    },
  };
}

async function preparedSft(
  sources: SftSources,
  { data: { sft: name }, prover: { mode } }: RunConfig,
  sealedStatements: ReadonlySet<string>,
): Promise<RunSft> {
  const set = await sources.sftSet(name);
  requireExamples(name, mode, set.manifest.counts);
  const made = { prover: 0, conjecturer: 0 };
  let excluded = 0;
  const isOpen = (example: Example): boolean => !statementKeysOf(example).some((key) => sealedStatements.has(key));
  const isWanted = ({ role, prompt }: Example): boolean =>
    role !== 'prover' || (prompt.includes(STATE_MARKER) ? meetsStates(mode) : !writesTactics(mode));
  async function* train(): AsyncGenerator<Example> {
    for await (const example of set.train()) {
      if (!isWanted(example)) continue;
      if (isOpen(example)) {
        made[example.role] += 1;
        yield example;
      } else excluded += 1;
    }
  }
  async function* heldOut(): AsyncGenerator<Example> {
    for await (const example of set.heldOut()) if (isWanted(example) && isOpen(example)) yield example;
  }
  async function* keys(): AsyncGenerator<string> {
    for await (const example of heldOut()) yield* statementKeysOf(example);
  }
  async function* theorems(): AsyncGenerator<LibraryTheorem> {
    for await (const theorem of set.theorems())
      if (!sealedStatements.has(statementKey(null, theorem.statement))) yield theorem;
  }
  return {
    train: train(),
    heldOut: heldOut(),
    heldOutKeys: keys(),
    theorems: theorems(),
    counts: () => ({
      libraryProofs: made.prover,
      searchedProofs: 0,
      conjecturerExamples: made.conjecturer,
      excludedForHeldOut: excluded,
    }),
  };
}

/** STP1001 for a set without the examples that the prover's mode needs. */
function requireExamples(
  name: string,
  mode: RunConfig['prover']['mode'],
  { proverExamples, stateExamples }: SftManifest['counts'],
): void {
  const problem =
    meetsStates(mode) && stateExamples === 0
      ? `contains no proof states, and prover.mode=${mode} needs them`
      : !writesTactics(mode) && proverExamples > 0 && stateExamples === proverExamples
        ? `contains no whole proofs, and prover.mode=${mode} needs them`
        : null;
  if (problem !== null)
    throw new StpError(
      'STP1001',
      `the set ${name} ${problem}`,
      `Set prover.mode=${stateExamples === 0 ? 'whole' : 'steps'}, or data.sft=library.`,
    );
}

/** Conjecturer examples in the shape that unproved targets are shown in, without repeats; prover examples as they are. */
async function* forTargets(examples: Iterable<Example> | AsyncIterable<Example>): AsyncGenerator<Example> {
  const seen = new Set<string>();
  for await (const example of examples) {
    const shaped = conditionedOnTarget(example);
    const key = contentId(shaped.prompt, shaped.target);
    if (!seen.has(key)) yield shaped;
    seen.add(key);
  }
}
