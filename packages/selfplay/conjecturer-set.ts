/**
 * Chooses the conjectures of a round that train the conjecturer, and their weights (docs/algorithm.md, section 7).
 * It uses a few numbers per conjecture and no texts. The transport (`transport.ts`) comes after.
 */
import type { ConjectureReward, LearnedConjecturer } from '@stp/config';
import { inBand } from './bands.ts';
import { dropInelegant } from './elegancy.ts';
import type { Tally } from './rates.ts';

/** Facts about an attempted conjecture. */
export interface ConjectureFacts {
  readonly id: string;
  /** The premise that the conjecture was asked to share; null: none was asked. */
  readonly lemma: string | null;
  readonly tally: Tally;
  /** Characters of its statement and of its shortest certified proof; null: no proof. */
  readonly statementChars: number;
  readonly shortestProofChars: number | null;
  /** Does a certified proof of it use the lemma? */
  readonly usesLemma: boolean;
}

export interface ChosenConjecture {
  readonly id: string;
  /** Whether it trains with its lemma, or as a conjecture without one. */
  readonly withLemma: boolean;
  /** Above 0. */
  readonly weight: number;
}

type Provable = ConjectureFacts & { readonly shortestProofChars: number };

/**
 * Chooses proved conjectures in the band (`reward: band`), without the least elegant ones, each with weight 1.
 * Conjectures that did not use their lemma are relabelled, and only the configured number of them is kept. The result
 * is sorted by id, so the order of the facts does not matter.
 *
 * @param facts all attempted conjectures of the round
 * @param order a random key for each id (`orderKey`), which decides which are kept if there are too many
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
  const provable = shuffled.filter(
    (fact): fact is Provable => fact.shortestProofChars !== null && isRewarded(fact, config.reward),
  );
  const kept = limitUnusedLemmas(provable, config).map(({ fact, withLemma }) => ({
    id: fact.id,
    withLemma,
    elegancy: fact.shortestProofChars / fact.statementChars,
    group: config.elegancyGroup === 'lemma' && withLemma ? fact.lemma! : '',
  }));
  return dropInelegant(kept, config.inelegantShare)
    .map(({ id, withLemma }) => ({ id, withLemma, weight: 1 }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function isRewarded({ tally }: ConjectureFacts, reward: ConjectureReward): boolean {
  return reward.kind === 'band' && inBand(tally, { max: reward.bandMax, inclusive: reward.bandInclusive });
}

/**
 * Keeps conjectures that used their lemma or had none. Relabels the others as examples without a lemma, and keeps the
 * first max(factor × number that used their lemma, least) of them (docs/algorithm.md, section 7).
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
