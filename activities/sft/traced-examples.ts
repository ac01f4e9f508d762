/**
 * SFT examples from traced theorems of Mathlib (docs/algorithm.md, section 12), in the prompt form of runs. No example
 * contains a held-out theorem, neither as a proof nor in a tuple.
 */

import { contentId } from '@stp/config/ids';
import type { Example, LibraryTheorem } from '@stp/config/records';
import { MATHLIB_HEADER } from '@stp/datasets';
import { conjecturerTuples, type SourceTheorem } from '@stp/lean-explore';
import { proverExample, randomStream, statementKey } from '@stp/selfplay';
import { chooseHeldOut, TRACED_HELD_OUT } from './held-out.ts';
import { tupleExample } from './library-examples.ts';

/** A theorem whose signature can be read. */
export type StatedTheorem = SourceTheorem & { readonly statement: string };
/** A theorem with a readable signature and a tactic proof. */
export type ProvedTheorem = StatedTheorem & { readonly proof: string };

export const isStated = (theorem: SourceTheorem): theorem is StatedTheorem => theorem.statement !== null;
export const isProved = (theorem: SourceTheorem): theorem is ProvedTheorem =>
  isStated(theorem) && theorem.proof !== null;

/**
 * Is a theorem held out? Theorems without a readable signature never are, since only their whole text could be
 * compared.
 */
export function heldOutOf(theorems: readonly SourceTheorem[], seed: number): (theorem: SourceTheorem) => boolean {
  const keys = chooseHeldOut(
    theorems.filter(isProved).map(({ statement }) => statement),
    TRACED_HELD_OUT,
    randomStream(seed, 'sft-held-out'),
  );
  return (theorem) => isStated(theorem) && keys.has(statementKey(null, theorem.statement));
}

/** The parts of a training example, as indices into the list of theorems, so that a shuffle moves only numbers. */
type Plan = readonly [lemma: number, easy: number, hard: number];
/** Index of the missing lemma and easy theorem of a prover example. */
const NONE = -1;

/** Yields training examples in a seeded order, without repeats. Memory: three numbers and a hash for each. */
export function* tracedTrainExamples(
  theorems: readonly SourceTheorem[],
  isHeldOut: (theorem: SourceTheorem) => boolean,
  seed: number,
): Generator<Example> {
  const kept = theorems.filter((theorem) => !isHeldOut(theorem));
  const indexOf = new Map(kept.map((theorem, index) => [theorem, index]));
  const plans: Plan[] = [];
  for (const [index, theorem] of kept.entries()) if (isProved(theorem)) plans.push([NONE, NONE, index]);
  for (const { lemma, easy, hard } of conjecturerTuples(kept))
    if (isStated(lemma) && isProved(easy) && isStated(hard))
      plans.push([indexOf.get(lemma)!, indexOf.get(easy)!, indexOf.get(hard)!]);
  const seen = new Set<string>();
  for (const [lemma, easy, hard] of randomStream(seed, 'sft').shuffle(plans)) {
    const example =
      lemma === NONE ? tracedProverExample(kept[hard] as ProvedTheorem) : tracedTuple(kept, lemma, easy, hard);
    const key = contentId(example.prompt, example.target);
    if (seen.has(key)) continue;
    seen.add(key);
    yield example;
  }
}

export function tracedProverExample({ statement, proof }: ProvedTheorem): Example {
  return proverExample(statement, proof, 1);
}

function tracedTuple(theorems: readonly SourceTheorem[], lemma: number, easy: number, hard: number): Example {
  return tupleExample(
    theorems[lemma] as StatedTheorem,
    theorems[easy] as ProvedTheorem,
    theorems[hard] as StatedTheorem,
  );
}

/** Yields the theorems that are not held out as library records, in which a run looks up the lemmas of its seeds. */
export function* tracedRecords(
  theorems: readonly SourceTheorem[],
  isHeldOut: (theorem: SourceTheorem) => boolean,
): Generator<LibraryTheorem> {
  const seen = new Set<string>();
  for (const theorem of theorems) {
    if (!isProved(theorem) || isHeldOut(theorem) || seen.has(theorem.name)) continue;
    seen.add(theorem.name);
    const { name, file, startLine: line, statement, proof, premises } = theorem;
    const id = contentId('library', name, statement, proof);
    yield { id, name, file, line, statement, proof, header: MATHLIB_HEADER, premises: [...premises] };
  }
}
