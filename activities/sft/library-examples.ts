/**
 * SFT examples of both roles from a library's theorems: their proofs, further proofs from the script search, and
 * (lemma, earlier theorem, later theorem) tuples for the conjecturer (docs/algorithm.md, section 12). No example contains a held-out
 * theorem.
 */
import { setImmediate } from 'node:timers/promises';
import type { Conjecturing } from '@stp/config';
import type { Example, LibraryTheorem, ShownGoal } from '@stp/config/records';
import { type ConjecturerTuple, conjecturerTuples, type TracedProof, tracedProofId } from '@stp/lean-explore';
import {
  conjecturerExample,
  dedupeExamples,
  displayProof,
  formExamples,
  NEIGHBOUR_DISTANCE_MAX,
  type ProverForms,
  type Random,
  randomStream,
  type Stated,
  type StateForm,
  statementKey,
  targetExample,
  targetPairs,
} from '@stp/selfplay';

/** Weight of a conjecturer example, beside a proof's 1 (STP: none is given, so 1). */
export const CONJECTURER_WEIGHT = 1;
/**
 * Examples for the conjecturer: tuples or pairs of the library's theorems, equations for a conjecturer that writes under
 * a grammar, or none.
 */
export type ConjecturerExamples =
  | { readonly kind: 'tuples' | 'none' }
  | { readonly kind: 'equations'; readonly examples: AsyncIterable<Example> };

export interface LibraryExamplesInput {
  readonly theorems: readonly LibraryTheorem[];
  /** Keys of statements that no example may contain: those held out by the run and by this set. */
  readonly excluded: ReadonlySet<string>;
  readonly searched: AsyncIterable<{ readonly theorem: string; readonly proof: string }> | null;
  readonly conjecturer: ConjecturerExamples;
  /** Tuples that end in one theorem at most; null: all. */
  readonly tuplesPerTheoremMax: number | null;
  /** The condition of the run's conjectures, which determines the form of the examples. */
  readonly conditionOn: Conjecturing['conditionOn']['kind'];
  readonly seed: number;
  /** Forms in which the prover sees the theorems. */
  readonly formOf: ProverForms;
  /** Are whole proofs examples? */
  readonly wholeProofs: boolean;
  /** States and tactics of the proofs; null if they give no examples. */
  readonly states: StateExamples | null;
  /** Whether to leave out proofs that name library theorems which their prompts do not show. */
  readonly onlyShownPremises: boolean;
}

export interface StateExamples {
  readonly traced: readonly TracedProof[];
  readonly formOf: (stated: Stated) => StateForm;
  /** Must the state be left out of the examples? */
  readonly isSealed: (theorem: LibraryTheorem, goal: ShownGoal) => boolean;
}

export interface LibraryExamples {
  /** Examples without repeats, in file order: first the prover's, then the conjecturer's. */
  readonly examples: readonly Example[];
  readonly libraryProofs: number;
  readonly searchedProofs: number;
  readonly conjecturerExamples: number;
}

/** Every proof has the same weight, so scripts that close many theorems occur often. */
export async function libraryExamples(input: LibraryExamplesInput): Promise<LibraryExamples> {
  const theorems = input.theorems.filter(({ statement }) => !input.excluded.has(statementKey(null, statement)));
  const byName = new Map(theorems.map((theorem) => [theorem.name, theorem]));
  const searched = new Map<string, string[]>();
  for await (const row of input.searched ?? []) {
    const theorem = byName.get(row.theorem);
    if (theorem && displayProof(theorem.proof) !== displayProof(row.proof))
      searched.set(row.theorem, [...(searched.get(row.theorem) ?? []), row.proof]);
  }
  const prover: Example[] = [];
  const proofIds = new Set<string>();
  let [ownProofs, furtherProofs] = [0, 0];
  for (const theorem of theorems) {
    const further = searched.get(theorem.name) ?? [];
    const form = input.formOf(theorem);
    const isShown = !input.onlyShownPremises || theorem.premises.every((name) => form.lemmas?.includes(name));
    const proofs = [...(isShown ? [theorem.proof] : []), ...further];
    if (input.wholeProofs) prover.push(...proofs.flatMap((proof) => formExamples(form, proof, 1)));
    if (isShown) ownProofs++;
    furtherProofs += further.length;
    for (const proof of proofs) proofIds.add(tracedProofId(theorem, proof));
  }
  const proofExamples = prover.length;
  if (input.states !== null)
    for await (const example of stateExamples(input.states, byName, proofIds)) prover.push(example);
  const conjecturing = await Array.fromAsync(conjecturerExamplesOf(theorems, input));
  const examples = dedupeExamples([...prover, ...conjecturing]);
  const conjecturerCount = examples.filter(({ role }) => role === 'conjecturer').length;
  return {
    examples,
    libraryProofs: ownProofs,
    // Without examples of whole proofs, the states come from all of them.
    searchedProofs: input.wholeProofs ? proofExamples - ownProofs : furtherProofs,
    conjecturerExamples: conjecturerCount,
  };
}

function conjecturerExamplesOf(
  theorems: readonly LibraryTheorem[],
  input: LibraryExamplesInput,
): Iterable<Example> | AsyncIterable<Example> {
  const { conjecturer, conditionOn } = input;
  if (conjecturer.kind === 'equations') return conjecturer.examples;
  if (conjecturer.kind === 'none') return [];
  return conditionOn === 'proved-seed' ? conjecturerSet(theorems, input) : targetSet(theorems, input);
}

/** One example per state and tactic of the traced proofs. */
async function* stateExamples(
  { traced, formOf, isSealed }: StateExamples,
  byName: ReadonlyMap<string, LibraryTheorem>,
  proofIds: ReadonlySet<string>,
): AsyncGenerator<Example> {
  const forms = new Map<string, StateForm>();
  for (const { theorem: name, proof, steps } of traced) {
    const theorem = byName.get(name);
    if (theorem === undefined || !proofIds.has(proof)) continue;
    const form = forms.get(name) ?? formOf(theorem);
    forms.set(name, form);
    // All states together take seconds, so heartbeats need a chance to be sent in between.
    await setImmediate();
    for (const { goal, tactic } of steps) if (!isSealed(theorem, goal)) yield* formExamples(form(goal), tactic, 1);
  }
}

/** Returns the example of one tuple. */
export function tupleExample(
  lemma: Pick<LibraryTheorem, 'statement'> | null,
  easy: Pick<LibraryTheorem, 'statement' | 'proof'>,
  hard: Pick<LibraryTheorem, 'statement'>,
): Example {
  const input = { lemma: lemma?.statement ?? null, easyStatement: easy.statement, easyProof: easy.proof };
  return conjecturerExample(input, hard.statement, CONJECTURER_WEIGHT);
}

/**
 * Tuples, a seeded choice for each later theorem, and pairs of near neighbours in a file with no lemma, which is how a
 * seed is shown whose proof used none.
 */
function* conjecturerSet(theorems: readonly LibraryTheorem[], input: LibraryExamplesInput): Generator<Example> {
  const random = randomStream(input.seed, 'tuples');
  const most = input.tuplesPerTheoremMax ?? Number.POSITIVE_INFINITY;
  for (const { lemma, easy, hard } of chosenTuples(theorems, most, random)) yield tupleExample(lemma, easy, hard);
  for (const [index, hard] of theorems.entries()) {
    const near = theorems
      .slice(Math.max(0, index - NEIGHBOUR_DISTANCE_MAX), index)
      .filter((easy) => easy.file === hard.file);
    for (const easy of random.shuffle(near).slice(0, most)) yield tupleExample(null, easy, hard);
  }
}

/** Yields (later theorem, earlier theorem) pairs for a conjecturer that is asked for an easier statement (SGS). */
function* targetSet(theorems: readonly LibraryTheorem[], input: LibraryExamplesInput): Generator<Example> {
  const random = randomStream(input.seed, 'targets');
  for (const { target, easier } of targetPairs(theorems, input.tuplesPerTheoremMax, random))
    yield targetExample(target.statement, easier.statement, CONJECTURER_WEIGHT);
}

function* chosenTuples(
  theorems: readonly LibraryTheorem[],
  most: number,
  random: Random,
): Generator<ConjecturerTuple<LibraryTheorem>> {
  const ends = new Map<string, number>();
  for (const tuple of random.shuffle([...conjecturerTuples(theorems)])) {
    const taken = ends.get(tuple.hard.name) ?? 0;
    if (taken >= most) continue;
    ends.set(tuple.hard.name, taken + 1);
    yield tuple;
  }
}
