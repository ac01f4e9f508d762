/**
 * Credits lemmas for their use: 1 for each dataset statement that a round proves with a lemma, plus a share of the
 * credit of each lemma whose own proof uses it. So credit also reaches indirectly used lemmas.
 */

/** Share of its credit that a lemma passes on to the lemmas in its proof. */
export const PASSED_ON = 0.5;

export interface CreditedLemma {
  readonly name: string;
  /** Names of lemmas that its proof uses; only earlier ones count. */
  readonly premises: readonly string[];
}

/**
 * Returns the lemmas with a credit above 0.
 *
 * @param lemmas each after those that its proof uses
 * @param uses names of the lemmas that a statement's proofs use, one set for each statement
 */
export function useCredit(
  lemmas: readonly CreditedLemma[],
  uses: Iterable<ReadonlySet<string>>,
): ReadonlyMap<string, number> {
  const credit = new Map<string, number>();
  const add = (name: string, worth: number): void => {
    credit.set(name, (credit.get(name) ?? 0) + worth);
  };
  for (const used of uses) for (const name of used) add(name, 1);
  for (const { name, premises } of lemmas.toReversed()) {
    const worth = credit.get(name) ?? 0;
    if (worth > 0) for (const premise of new Set(premises)) if (premise !== name) add(premise, PASSED_ON * worth);
  }
  const known = new Set(lemmas.map(({ name }) => name));
  return new Map([...credit].filter(([name]) => known.has(name)));
}
