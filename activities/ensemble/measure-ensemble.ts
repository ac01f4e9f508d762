/** Measures an ensemble on candidates for statements that it was not trained on. */
import type { Ensemble } from '@stp/language-model';
import {
  areaUnderCurve,
  bestOf,
  type Combination,
  calibrationError,
  combined,
  disagreement,
  groupedArea,
  type ScoredCandidate,
} from '@stp/selfplay';
import type { TriedIn } from './tried-prompts.ts';

export interface EnsembleFigures {
  readonly statements: number;
  readonly candidates: number;
  readonly right: number;
  /** Area under the ROC curve, over all candidates and within each statement; null without candidates of both kinds. */
  readonly area: number | null;
  readonly areaWithin: number | null;
  /** Area of each member alone, over all candidates; null without candidates of both kinds. */
  readonly memberAreas: readonly (number | null)[];
  readonly calibrationError: number;
  /** Share of pairs of candidates of one statement that two members order differently. */
  readonly disagreement: number;
  /** Share of statements whose chosen candidate of n is right. */
  readonly bestOf: readonly { readonly n: number; readonly share: number; readonly atRandom: number }[];
}

/**
 * Candidates are the distinct targets of a statement, however often each was drawn. Targets that exceed the context are
 * left out.
 */
export async function measureEnsemble(
  ensemble: Pick<Ensemble, 'rewards'>,
  tried: AsyncIterable<TriedIn>,
  combination: Combination,
  signal?: AbortSignal,
): Promise<EnsembleFigures> {
  const groups = new Map<
    string,
    Map<string, { readonly prompt: string; readonly target: string; readonly isRight: boolean }>
  >();
  for await (const { statementId, kind, prompt, tries } of tried) {
    if (kind !== 'proof') continue;
    const group = groups.get(statementId) ?? new Map();
    groups.set(statementId, group);
    for (const { target, isRight } of tries) group.set(target, { prompt, target, isRight });
  }
  const candidates: ScoredCandidate[] = [];
  const byMember: (readonly number[])[] = [];
  const byGroup: (readonly (readonly number[])[])[] = [];
  for (const [group, targets] of groups) {
    const all = [...targets.values()];
    const rewards = await ensemble.rewards(all, signal);
    const kept = all.flatMap((candidate, at) =>
      rewards[at] === null ? [] : [{ ...candidate, rewards: rewards[at]! }],
    );
    for (const { isRight, rewards: own } of kept) {
      candidates.push({ group, isRight, score: combined(own, combination) });
      byMember.push(own);
    }
    byGroup.push(kept.map(({ rewards: own }) => own));
  }
  const members = byMember[0]?.length ?? 0;
  const numbers = [1, 2, 4, 8, 16, 32, 64, 128].filter((n) => byGroup.some((group) => group.length >= n));
  return {
    statements: groups.size,
    candidates: candidates.length,
    right: candidates.filter(({ isRight }) => isRight).length,
    area: areaUnderCurve(candidates),
    areaWithin: groupedArea(candidates),
    memberAreas: Array.from({ length: members }, (_, member) =>
      areaUnderCurve(candidates.map(({ isRight }, at) => ({ isRight, score: byMember[at]![member]! }))),
    ),
    calibrationError: candidates.length === 0 ? 0 : calibrationError(candidates),
    disagreement: disagreement(byGroup),
    bestOf: numbers.map((n) => ({ n, share: bestOf(candidates, n), atRandom: bestOf(candidates, 1) })),
  };
}
