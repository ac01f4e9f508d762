/** What of a round trains the prover and the conjecturer (STP §2.7, §2.9), and what the retraining takes (STP §3). */
import type { Conjecture, Example, Proved } from '../data/schemas/records.ts';
import type { Rate } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import { conjecturerExample, displayProof, displayStatement, proverExample } from './prompts.ts';
import type { Random } from './random.ts';
import { passRate } from './rates.ts';

const exampleKey = (example: Example): string => `${example.prompt}\u0000${example.target}`;

/** Examples without repeats of (prompt, target); the first one stays. */
export function dedupeExamples(examples: Iterable<Example>): Example[] {
  const seen = new Map<string, Example>();
  for (const example of examples) if (!seen.has(exampleKey(example))) seen.set(exampleKey(example), example);
  return [...seen.values()];
}

/**
 * Prover examples of a replay window: proofs of statements whose pass rate over the window is at most the band, newest
 * first, weight exp(−a·characters − b·seconds) / number of distinct proofs of the statement in the window.
 *
 * @param window certified proofs, newest round first
 * @param rates attempts and successes over the same rounds
 */
export function proverExamples(
  window: readonly Proved[],
  rates: ReadonlyMap<string, Rate>,
  config: RunConfig['selection'],
): Example[] {
  const distinct = new Map<string, Map<string, Proved>>();
  for (const proof of window) {
    const proofs = distinct.get(proof.statementId) ?? new Map<string, Proved>();
    const text = displayProof(proof.proof);
    if (!proofs.has(text)) proofs.set(text, proof);
    distinct.set(proof.statementId, proofs);
  }
  const examples: Example[] = [];
  for (const [statementId, proofs] of distinct) {
    const rate = rates.get(statementId);
    if (rate === undefined || passRate(rate) > config.proverBandMax) continue;
    for (const proof of proofs.values()) {
      const decay = config.decayPerCharacter * proof.proof.length + config.decayPerSecond * (proof.checkMs / 1_000);
      examples.push(proverExample(proof.statement, proof.proof, Math.exp(-decay) / proofs.size));
    }
  }
  return dedupeExamples(examples);
}

/** The input that led to a conjecture, as it is stored beside it. */
export interface ConjectureOrigin {
  readonly lemmaStatement: string | null;
  readonly easyStatement: string;
  readonly easyProof: string;
}

/**
 * Conjecturer examples of a round: proved conjectures with pass rate in (0, bandMax] that used the lemma they were asked
 * to share; those that did not are kept as no-lemma examples. Then the least elegant share (shortest proof over
 * statement, in characters; one global quantile, as the paper) is dropped; a single one is always kept.
 */
export function conjecturerExamples(
  conjectures: readonly (Conjecture & { origin: ConjectureOrigin })[],
  proofs: ReadonlyMap<string, readonly Proved[]>,
  rates: ReadonlyMap<string, Rate>,
  config: RunConfig['conjectures'],
): { example: Example; conjecture: Conjecture }[] {
  const kept = conjectures.flatMap((conjecture) => {
    const rate = rates.get(conjecture.id);
    const own = proofs.get(conjecture.id) ?? [];
    if (rate === undefined || own.length === 0 || passRate(rate) > config.bandMax) return [];
    const usesLemma = conjecture.lemma !== null && own.some((proof) => proof.premises.includes(conjecture.lemma!));
    const input = {
      lemma: usesLemma ? conjecture.origin.lemmaStatement : null,
      easyStatement: conjecture.origin.easyStatement,
      easyProof: conjecture.origin.easyProof,
    };
    const shortest = Math.min(...own.map((proof) => displayProof(proof.proof).length));
    const elegancy = shortest / displayStatement(conjecture.statement).length;
    return [{ conjecture, elegancy, example: conjecturerExample(input, conjecture.statement, 1) }];
  });
  const sorted = kept.map((entry) => entry.elegancy).sort((a, b) => a - b);
  const cutoff = sorted[Math.floor(config.inelegantShare * sorted.length)] ?? 0;
  return kept.filter((entry) => entry.elegancy >= cutoff).map(({ example, conjecture }) => ({ example, conjecture }));
}

/**
 * Retraining set (STP §3): proofs of dataset statements whatever their rate, proofs of conjectures whose rate in their
 * round was at most the band; at most `proofsPerStatementMax` distinct ones a statement, chosen at random; weight
 * exp(−a·characters).
 */
export function retrainExamples(
  proved: readonly Proved[],
  config: RunConfig['retrain'],
  decayPerCharacter: number,
  random: Random,
): Example[] {
  const taken = new Map<string, Set<string>>();
  const examples: Example[] = [];
  for (const proof of random.shuffle(proved)) {
    if (proof.origin === 'conjecture' && proof.passRate > config.conjectureBandMax) continue;
    const texts = taken.get(proof.statementId) ?? new Set<string>();
    const text = displayProof(proof.proof);
    if (texts.has(text) || texts.size >= config.proofsPerStatementMax) continue;
    texts.add(text);
    taken.set(proof.statementId, texts);
    examples.push(proverExample(proof.statement, proof.proof, Math.exp(-decayPerCharacter * proof.proof.length)));
  }
  return dedupeExamples(examples);
}

/** Optimizer steps for a number of examples (STP §2.10: max(n·epochs // batch, minimum)), capped. */
export function optimiserSteps(
  examples: number,
  config: { epochs: number; examplesPerStep: number; stepsMin: number; stepsMax: number },
): number {
  const steps = Math.floor((examples * config.epochs) / config.examplesPerStep);
  return Math.min(config.stepsMax, Math.max(config.stepsMin, steps));
}
