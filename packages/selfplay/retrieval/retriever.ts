/** The port that finds premises for a proof state, and the measures of its quality. */
import type { Accessible } from './premise-corpus.ts';

export interface PremiseQuery {
  /** Goals as Lean prints them. */
  readonly state: string;
  readonly accessible: Accessible;
}

export interface RetrievedPremise {
  /** Number of the premise in the corpus. */
  readonly premise: number;
  /** Comparable within one query. */
  readonly score: number;
}

export interface Retriever {
  /** Returns for each query at most `most` accessible premises, the best first. */
  retrieve(
    queries: readonly PremiseQuery[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (readonly RetrievedPremise[])[]>;
}

/** Returns the `most` best accessible premises; among equal scores the earlier premise comes first. */
export function bestAccessible(
  scored: Iterable<RetrievedPremise>,
  accessible: Accessible,
  most: number,
): RetrievedPremise[] {
  const best: RetrievedPremise[] = [];
  const isBetter = (left: RetrievedPremise, right: RetrievedPremise): boolean =>
    left.score > right.score || (left.score === right.score && left.premise < right.premise);
  for (const one of scored) {
    if (best.length === most && !isBetter(one, best[most - 1]!)) continue;
    if (!accessible(one.premise)) continue;
    let at = best.length;
    while (at > 0 && isBetter(one, best[at - 1]!)) at--;
    best.splice(at, 0, one);
    if (best.length > most) best.pop();
  }
  return best;
}

/** Means over queries. A query counts if it has a positive premise (arXiv 2306.15626, §6.1). */
export class RetrievalScores {
  #queries = 0;
  #recallAt1 = 0;
  #recallAt10 = 0;
  #reciprocalRank = 0;

  /**
   * @param retrieved numbers of premises, the best first
   * @param positives the premises that the proof step names; at least one
   */
  add(retrieved: readonly number[], positives: ReadonlySet<number>): void {
    const recall = (most: number): number =>
      retrieved.slice(0, most).filter((premise) => positives.has(premise)).length / positives.size;
    const rank = retrieved.findIndex((premise) => positives.has(premise));
    this.#queries += 1;
    this.#recallAt1 += recall(1);
    this.#recallAt10 += recall(10);
    this.#reciprocalRank += rank < 0 ? 0 : 1 / (rank + 1);
  }

  /** Means from 0 to 1; 0 without queries. */
  get means(): {
    readonly queries: number;
    readonly recallAt1: number;
    readonly recallAt10: number;
    readonly mrr: number;
  } {
    const mean = (sum: number): number => (this.#queries === 0 ? 0 : sum / this.#queries);
    return {
      queries: this.#queries,
      recallAt1: mean(this.#recallAt1),
      recallAt10: mean(this.#recallAt10),
      mrr: mean(this.#reciprocalRank),
    };
  }
}
