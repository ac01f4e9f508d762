/** Measures a verifier on candidates whose correctness is known. */

export interface ScoredCandidate {
  /** Candidates of one group, a statement, compete with each other. */
  readonly group: string;
  readonly isRight: boolean;
  readonly score: number;
}

/**
 * Probability that a right candidate has a higher score than a wrong one, ties counting half; null if either kind is
 * missing.
 */
export function areaUnderCurve(candidates: readonly Pick<ScoredCandidate, 'isRight' | 'score'>[]): number | null {
  const sorted = [...candidates].sort((left, right) => left.score - right.score);
  const rights = candidates.filter(({ isRight }) => isRight).length;
  const wrongs = candidates.length - rights;
  if (rights === 0 || wrongs === 0) return null;
  let [wins, wrongsBelow] = [0, 0];
  for (let first = 0; first < sorted.length; ) {
    let end = first;
    while (end < sorted.length && sorted[end]!.score === sorted[first]!.score) end += 1;
    const tied = sorted.slice(first, end);
    const tiedRight = tied.filter(({ isRight }) => isRight).length;
    const tiedWrong = tied.length - tiedRight;
    wins += tiedRight * (wrongsBelow + tiedWrong / 2);
    wrongsBelow += tiedWrong;
    first = end;
  }
  return wins / (rights * wrongs);
}

/** Mean of the area within groups that have candidates of both kinds; null if no group has. */
export function groupedArea(candidates: readonly ScoredCandidate[]): number | null {
  const areas = [...Map.groupBy(candidates, ({ group }) => group).values()]
    .map(areaUnderCurve)
    .filter((area) => area !== null);
  return areas.length === 0 ? null : areas.reduce((sum, area) => sum + area, 0) / areas.length;
}

const BINS = 10;

/** Expected calibration error of σ(score) as the probability of being right, over ten bins of equal width. */
export function calibrationError(candidates: readonly Pick<ScoredCandidate, 'isRight' | 'score'>[]): number {
  const bins = Array.from({ length: BINS }, () => ({ count: 0, probability: 0, right: 0 }));
  for (const { score, isRight } of candidates) {
    const probability = 1 / (1 + Math.exp(-score));
    const bin = bins[Math.min(BINS - 1, Math.floor(probability * BINS))]!;
    bin.count += 1;
    bin.probability += probability;
    bin.right += isRight ? 1 : 0;
  }
  return bins.reduce((sum, { probability, right }) => sum + Math.abs(probability - right), 0) / candidates.length;
}

/** Share of pairs of candidates of one group that two members order differently, averaged over the pairs of members. */
export function disagreement(groups: readonly (readonly (readonly number[])[])[]): number {
  let [opposite, compared] = [0, 0];
  for (const rewards of groups)
    for (const [at, left] of rewards.entries())
      for (const right of rewards.slice(at + 1))
        for (let one = 0; one < left.length; one += 1)
          for (let other = one + 1; other < left.length; other += 1) {
            compared += 1;
            if ((left[one]! - right[one]!) * (left[other]! - right[other]!) < 0) opposite += 1;
          }
  return compared === 0 ? 0 : opposite / compared;
}

/**
 * Expected share of groups in which the highest-scored of n random candidates is right. n = 1 gives a random candidate,
 * n = all the verifier's choice. Groups with fewer candidates use all of theirs. Ties count by halves, thirds and so
 * on.
 */
export function bestOf(candidates: readonly ScoredCandidate[], n: number): number {
  const groups = [...Map.groupBy(candidates, ({ group }) => group).values()];
  return groups.reduce((sum, group) => sum + bestOfGroup(group, Math.min(n, group.length)), 0) / groups.length;
}

function bestOfGroup(group: readonly ScoredCandidate[], n: number): number {
  const highestFirst = [...Map.groupBy(group, ({ score }) => score)].sort(([left], [right]) => right - left);
  let [expected, passed] = [0, 0];
  /** Probability that all n come from the candidates that are left. */
  const among = (left: number): number => {
    let chance = 1;
    for (let at = 0; at < n; at += 1) chance *= Math.max(0, left - at) / (group.length - at);
    return chance;
  };
  for (const [, tied] of highestFirst) {
    const isBest = among(group.length - passed) - among(group.length - passed - tied.length);
    expected += (isBest * tied.filter(({ isRight }) => isRight).length) / tied.length;
    passed += tied.length;
  }
  return expected;
}
