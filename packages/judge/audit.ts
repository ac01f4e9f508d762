/**
 * Compares a judge's marks with people's: which proofs each calls complete, how far the marks differ, whether they rank
 * proofs alike, and how many proofs with "all votes full" were not complete. Marks are compared as shares of full
 * marks, so scales do not matter.
 */
import { mean, sharedByTies } from './ranking.ts';

export interface Compared {
  readonly set: string;
  /** Share of full marks. */
  readonly human: number;
  /** Null if the judge gave no mark. */
  readonly judged: number | null;
  readonly allFull: boolean;
}

/** Grades of a mark: full marks, between, the lowest mark. */
const GRADES = ['full', 'part', 'none'] as const;
type Grade = (typeof GRADES)[number];
const gradeOf = (share: number): Grade => (share === 1 ? 'full' : share === 0 ? 'none' : 'part');

export interface SetAudit {
  readonly set: string;
  readonly proofs: number;
  /** Number of proofs without a mark of the judge, which no other figure includes. */
  readonly unjudged: number;
  /** `confusion[human][judge]`: numbers of proofs. */
  readonly confusion: Readonly<Record<Grade, Readonly<Record<Grade, number>>>>;
  /** Mean absolute difference of the marks, as a share of full marks; null if no proof was judged. */
  readonly meanAbsoluteError: number | null;
  /** Spearman's rank correlation, ties with their mean rank; null if one side gives all proofs the same mark. */
  readonly rankCorrelation: number | null;
  /** Number of proofs with all votes full. */
  readonly accepted: number;
  /** Numbers of accepted proofs whose human mark is below full marks, and below half of them. */
  readonly falselyAccepted: number;
  readonly falselyAcceptedBelowHalf: number;
  /** `falselyAccepted` as a share of the accepted proofs, and of the proofs whose human mark is below full marks. */
  readonly falseShareOfAccepted: number | null;
  readonly falseAcceptRate: number | null;
}

/** Returns an audit for each set in the order of their first proofs, and `all` last. */
export function audit(compared: readonly Compared[]): SetAudit[] {
  const sets = [...Map.groupBy(compared, ({ set }) => set)];
  return [...sets, ...(sets.length === 1 ? [] : [['all', compared] as const])].map(([set, its]) => auditSet(set, its));
}

function auditSet(set: string, all: readonly Compared[]): SetAudit {
  const judged = all.flatMap((one) => (one.judged === null ? [] : [{ ...one, judged: one.judged }]));
  const cell = (human: Grade, by: Grade): number =>
    judged.filter((one) => gradeOf(one.human) === human && gradeOf(one.judged) === by).length;
  const row = (human: Grade) => ({ full: cell(human, 'full'), part: cell(human, 'part'), none: cell(human, 'none') });
  const accepted = judged.filter(({ allFull }) => allFull);
  const incomplete = judged.filter(({ human }) => human < 1);
  const falsely = accepted.filter(({ human }) => human < 1);
  return {
    set,
    proofs: all.length,
    unjudged: all.length - judged.length,
    confusion: { full: row('full'), part: row('part'), none: row('none') },
    meanAbsoluteError: judged.length === 0 ? null : mean(judged.map(({ human, judged: by }) => Math.abs(human - by))),
    rankCorrelation: spearman(
      judged.map(({ human }) => human),
      judged.map(({ judged: by }) => by),
    ),
    accepted: accepted.length,
    falselyAccepted: falsely.length,
    falselyAcceptedBelowHalf: falsely.filter(({ human }) => human < 0.5).length,
    falseShareOfAccepted: accepted.length === 0 ? null : falsely.length / accepted.length,
    falseAcceptRate: incomplete.length === 0 ? null : falsely.length / incomplete.length,
  };
}

/** Returns null if one of the lists has only one value. */
export function spearman(xs: readonly number[], ys: readonly number[]): number | null {
  const rank = (values: readonly number[]): number[] =>
    sharedByTies(
      values,
      (a, b) => a - b,
      (place) => place,
    );
  const centred = (values: readonly number[]): number[] => {
    const middle = mean(values);
    return values.map((value) => value - middle);
  };
  const [dx, dy] = [centred(rank(xs)), centred(rank(ys))];
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  const scale = Math.sqrt(dot(dx, dx) * dot(dy, dy));
  return xs.length === 0 || scale === 0 ? null : dot(dx, dy) / scale;
}
