/**
 * The elegancy filter (docs/algorithm.md, section 7): a conjecture with a short proof and a long statement is probably padded.
 * The least elegant share is dropped, over all conjectures (STP's paper) or within the group of each lemma (its code).
 */

export interface Elegant {
  /** Characters of the shortest proof over characters of the statement. */
  readonly elegancy: number;
  /** Quantiles are taken within a group. */
  readonly group: string;
}

/**
 * Keeps, in the given order, the items that are at least as elegant as the value at sorted index floor(share × n) of their
 * group. So a group of one keeps its only member, and of five the one strictly below the second smallest value goes.
 */
export function dropInelegant<T extends Elegant>(items: readonly T[], share: number): T[] {
  const cutoffs = new Map<string, number>();
  for (const [group, members] of Map.groupBy(items, (item) => item.group)) {
    const sorted = members.map((item) => item.elegancy).sort((a, b) => a - b);
    cutoffs.set(group, sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]!);
  }
  return items.filter((item) => item.elegancy >= cutoffs.get(item.group)!);
}
