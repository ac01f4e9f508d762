/** Which theorems of a grown library a proof of a statement may want: those over the statement's own functions, rare ones first. */

export interface GrownLemma {
  /** Full name. */
  readonly name: string;
  /** Imports and opens; written names of two statements mean the same under the same ones only. */
  readonly header: string | null;
  /** Written names of the functions that it stands on, through definitions too. */
  readonly functions: readonly string[];
}

export class RelevantLemmas {
  readonly #byHeader: ReadonlyMap<string | null, readonly GrownLemma[]>;

  constructor(lemmas: readonly GrownLemma[]) {
    this.#byHeader = Map.groupBy(lemmas, ({ header }) => header);
  }

  /**
   * Names of `most` theorems at most that stand on functions of the statement and on no other. Those that stand on functions
   * which few theorems share come first; of equals, the earlier.
   * @param functions written names of what the statement stands on
   */
  for(header: string | null, functions: readonly string[], most: number): string[] {
    const own = new Set(functions);
    const fit = (this.#byHeader.get(header) ?? []).filter(
      (lemma) => lemma.functions.length > 0 && lemma.functions.every((name) => own.has(name)),
    );
    const shared = new Map(functions.map((name) => [name, fit.filter((one) => one.functions.includes(name)).length]));
    const score = ({ functions: its }: GrownLemma): number =>
      its.reduce((sum, name) => sum + 1 / shared.get(name)!, 0) / its.length;
    return fit
      .map((lemma, place) => ({ name: lemma.name, place, score: score(lemma) }))
      .sort((a, b) => b.score - a.score || a.place - b.place)
      .slice(0, most)
      .map(({ name }) => name);
  }
}
