/**
 * Chooses the prover's training set: the proofs of a round's replay window, and for a retraining the proofs of all rounds
 * (docs/algorithm.md, sections 6 and 9). It works on one statement at a time, so memory never holds all proofs.
 */
import type { RunConfig } from '@stp/config';
import type { Example, Proved } from '@stp/config/records';
import { inBand } from './bands.ts';
import { displayProof } from './prompts.ts';
import { orderKey } from './random.ts';
import type { Tally } from './rates.ts';

/** Training examples from a proof: the whole proof, the steps of the search that found it, or both. */
export type ProofExamples = (found: Proved, weight: number) => Example[];

/** Bound on the round in a sort key; larger than any round. */
const ROUND_END = 0xffff;

/**
 * Returns the sort key of a proof. It groups the proofs of a statement, orders the distinct texts at random by the
 * stream's names, and puts the newest round first among equal texts.
 */
export function proofKey(proof: Proved, ...stream: readonly (string | number)[]): string {
  const text = orderKey(...stream, proof.statementId, displayProof(proof.proof));
  return `${proof.statementId} ${text} ${(ROUND_END - proof.round).toString(16).padStart(4, '0')}`;
}

/** Returns the first proof of each distinct text, in order. */
function distinctProofs(proofs: readonly Proved[]): Proved[] {
  const texts = new Map<string, Proved>();
  for (const proof of proofs) {
    const text = displayProof(proof.proof);
    if (!texts.has(text)) texts.set(text, proof);
  }
  return [...texts.values()];
}

/** Is the statement's pass rate over the window in the prover's band? */
export function trainsProver(tally: Tally | null, config: RunConfig['selection']): boolean {
  return inBand(tally, { max: config.proverBandMax, inclusive: config.proverBandInclusive });
}

/**
 * Returns prover examples of one statement: the first `proofsPerStatementMax` distinct proofs, each with weight
 * exp(−a·characters − b·seconds) divided by their number. Multiplicity does not count.
 *
 * @param proofs certified proofs of the statement over the window, sorted by `proofKey`
 */
export function proverExamples(
  proofs: readonly Proved[],
  config: RunConfig['selection'],
  examplesOf: ProofExamples,
): Example[] {
  const distinct = distinctProofs(proofs).slice(0, config.proofsPerStatementMax ?? Number.POSITIVE_INFINITY);
  return distinct.flatMap((found) => {
    const decay = config.decayPerCharacter * found.proof.length + config.decayPerSecond * (found.checkMs / 1_000);
    return examplesOf(found, Math.exp(-decay) / distinct.length);
  });
}

/** Does a proof join the retraining, by its statement's pass rate in the round that found it? */
export function joinsRetraining(proof: Pick<Proved, 'origin' | 'passRate'>, config: RunConfig['retrain']): boolean {
  const max = proof.origin === 'conjecture' ? config.conjectureBandMax : config.datasetBandMax;
  return max === null || proof.passRate <= max;
}

/**
 * Returns retraining examples of one statement: at most `proofsPerStatementMax` distinct proofs, with weight
 * exp(−a·characters).
 *
 * @param proofs proofs of the statement that join the retraining, sorted by `proofKey`
 */
export function retrainExamples(
  proofs: readonly Proved[],
  config: RunConfig['retrain'],
  decayPerCharacter: number,
  examplesOf: ProofExamples,
): Example[] {
  return distinctProofs(proofs)
    .slice(0, config.proofsPerStatementMax)
    .flatMap((found) => examplesOf(found, Math.exp(-decayPerCharacter * found.proof.length)));
}
