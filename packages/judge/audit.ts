/**
 * Compares a judge with people: which of the two call a proof complete, the distance of their marks, whether they order
 * proofs alike, and how often a proof that the judge accepts ("all votes full") was incomplete. Marks are compared as
 * shares of full marks, so scales do not matter.
 */
import { mean, sharedByTies } from './ranking.ts';

export interface Compared {
  readonly set: string;
  /** Share of full marks. */
  readonly human: number;
  /** Null: the judge gave no mark. */
  readonly judged: number | null;
  readonly allFull: boolean;
}

/** Grades of a mark: full, in between, lowest. */
const GRADES = ['full', 'part', 'none'] as const;
type Grade = (typeof GRADES)[number];
const gradeOf = (share: number): Grade => (share === 1 ? 'full' : share === 0 ? 'none' : 'part');

export interface SetAudit {
  readonly set: string;
  readonly proofs: number;
  /** Number of proofs without a mark of the judge; no other figure counts them. */
  readonly unjudged: number;
  /** Number of proofs by `confusion[human][judge]`. */
  readonly confusion: Readonly<Record<Grade, Readonly<Record<Grade, number>>>>;
  /** Mean distance of the marks, as a share of full marks; null if nothing was judged. */
  readonly meanAbsoluteError: number | null;
  /** Spearman's correlation, ties with their mean rank; null if one of the two gives all proofs the same mark. */
  readonly rankCorrelation: number | null;
  /** Number of proofs whose votes are all full. */
  readonly accepted: number;
  /** Accepted proofs whose human mark is below full marks, and below half of them. */
  readonly falselyAccepted: number;
  readonly falselyAcceptedBelowHalf: number;
  /** Share of `falselyAccepted` among accepted proofs, and among proofs whose human mark is below full marks. */
  readonly falseShareOfAccepted: number | null;
  readonly falseAcceptRate: number | null;
}

/** Returns audits by set, in the order of their first proof, and `all` last. */
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

/** Null if one of the two has only one value. */
export function spearman(xs: readonly number[], ys: readonly number[]): number | null {
  const rank = (values: readonly number[]): number[] =>
    sharedByTies(
      values,
      (a, b) => a - b,
      (position) => position,
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
