/**
 * Chooses the conjectures of a round that train the conjecturer, and their weights (docs/algorithm.md, section 7; SGS, arXiv 2604.20209).
 * It uses a few numbers per conjecture and no texts. The transport (`transport.ts`) comes after.
 */
import type { ConjectureReward, LearnedConjecturer } from '@stp/config';
import { inBand } from './bands.ts';
import { dropInelegant } from './elegancy.ts';
import { passRate, type Tally } from './rates.ts';

/** Facts about an attempted conjecture. */
export interface ConjectureFacts {
  readonly id: string;
  /** The premise that it was asked to share; null: none was asked. */
  readonly lemma: string | null;
  readonly tally: Tally;
  /** Characters of its statement and of its shortest certified proof; null: it has none. */
  readonly statementChars: number;
  readonly shortestProofChars: number | null;
  /** Does a certified proof of it use the lemma? */
  readonly usesLemma: boolean;
  /** How related and how clean it is, 0 to 1; null: not judged. */
  readonly guide: number | null;
}

export interface ChosenConjecture {
  readonly id: string;
  /** Train it with its lemma, or as one for which no lemma was asked? */
  readonly withLemma: boolean;
  /** Above 0. */
  readonly weight: number;
}

type Provable = ConjectureFacts & { readonly shortestProofChars: number };

/**
 * Proved conjectures in the band (`reward: band`), or all with a reward (`solve-rate`), without the least elegant.
 * Conjectures that did not use their requested lemma are relabelled, and only as many are kept as the configuration
 * allows. Sorted by id, so the result does not depend on the order of the facts.
 *
 * @param facts all attempted conjectures of the round
 * @param order a random key an id (`orderKey`): it decides which stay where there are too many
 */
export function chooseConjectures(
  facts: readonly ConjectureFacts[],
  config: LearnedConjecturer,
  order: (id: string) => string,
): ChosenConjecture[] {
  const shuffled = facts
    .map((fact) => ({ fact, key: order(fact.id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ fact }) => fact);
  const rewards = rewardsOf(shuffled, config.reward);
  const provable = shuffled.filter(
    (fact): fact is Provable => fact.shortestProofChars !== null && (rewards.get(fact.id) ?? 0) > 0,
  );
  const kept = limitUnusedLemmas(provable, config).map(({ fact, withLemma }) => ({
    id: fact.id,
    withLemma,
    weight: rewards.get(fact.id)!,
    elegancy: fact.shortestProofChars / fact.statementChars,
    group: config.elegancyGroup === 'lemma' && withLemma ? fact.lemma! : '',
  }));
  return dropInelegant(kept, config.inelegantShare)
    .map(({ id, withLemma, weight }) => ({ id, withLemma, weight }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function rewardsOf(facts: readonly ConjectureFacts[], reward: ConjectureReward): Map<string, number> {
  switch (reward.kind) {
    case 'band':
      return bandRewards(facts, reward);
    case 'solve-rate':
      return solveRateRewards(facts, reward);
    case 'use':
      return new Map();
  }
}

function bandRewards(
  facts: readonly ConjectureFacts[],
  { bandMax: max, bandInclusive: inclusive }: Extract<ConjectureReward, { bandMax: number }>,
): Map<string, number> {
  const band = { max, inclusive };
  return new Map(facts.filter((fact) => inBand(fact.tally, band)).map((fact) => [fact.id, 1]));
}

/**
 * SGS's reward: 1 − pass rate for what was proved and is not among the easiest share of all that were attempted, times
 * the guide's score, over the largest of the round, so that the best one counts 1. Of equally easy ones at the edge of
 * that share chance decides: pass rates take few values, and dropping all alike could drop everything.
 *
 * @param facts in random order
 */
function solveRateRewards(
  facts: readonly ConjectureFacts[],
  { easiestShareDropped }: Extract<ConjectureReward, { kind: 'solve-rate' }>,
): Map<string, number> {
  const easiestFirst = facts
    .filter((fact) => fact.tally.attempts > 0)
    .sort((a, b) => passRate(b.tally) - passRate(a.tally));
  const dropped = Math.floor(easiestShareDropped * easiestFirst.length);
  const raw = easiestFirst
    .slice(dropped)
    .filter((fact) => fact.tally.successes > 0)
    .map((fact): [string, number] => [fact.id, (1 - passRate(fact.tally)) * (fact.guide ?? 1)]);
  const largest = raw.reduce((max, [, reward]) => Math.max(max, reward), 0);
  return new Map(raw.map(([id, reward]) => [id, largest === 0 ? 0 : reward / largest]));
}

/**
 * Conjectures that used their lemma, or had no requested lemma, stay. The others are relabelled: they become examples
 * of conjecturing without a lemma; the first max(factor × number that used their lemma, least) of them stay (docs/algorithm.md, section 7).
 */
function limitUnusedLemmas(
  facts: readonly Provable[],
  config: LearnedConjecturer,
): { fact: Provable; withLemma: boolean }[] {
  const used = facts.filter((fact) => fact.lemma !== null && fact.usesLemma);
  let open = Math.max(Math.floor(config.unusedLemmaFactor * used.length), config.unusedLemmaLeast);
  return facts.flatMap((fact): { fact: Provable; withLemma: boolean }[] => {
    if (fact.lemma === null) return [{ fact, withLemma: false }];
    if (fact.usesLemma) return [{ fact, withLemma: true }];
    return open-- > 0 ? [{ fact, withLemma: false }] : [];
  });
}
