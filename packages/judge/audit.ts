/**
 * Compares a judge with people: who of the two calls a proof complete, how far their marks are apart, whether they order proofs
 * alike, and how often a proof that the judge takes without reserve ("all votes full") was no complete proof. Marks are compared as
 * shares of full marks, so that scales do not matter.
 */
import { mean, sharedByTies } from './ranking.ts';

export interface Compared {
  readonly set: string;
  /** Share of full marks. */
  readonly human: number;
  /** Null: the judge has no mark of it. */
  readonly judged: number | null;
  readonly allFull: boolean;
}

/** Grades of a mark: the highest, less, the lowest. */
const GRADES = ['full', 'part', 'none'] as const;
type Grade = (typeof GRADES)[number];
const gradeOf = (share: number): Grade => (share === 1 ? 'full' : share === 0 ? 'none' : 'part');

export interface SetAudit {
  readonly set: string;
  readonly proofs: number;
  /** Without a mark of the judge; in no other figure. */
  readonly unjudged: number;
  /** `confusion[human][judge]`: proofs. */
  readonly confusion: Readonly<Record<Grade, Readonly<Record<Grade, number>>>>;
  /** Mean distance of the marks, as a share of full marks; null where nothing was judged. */
  readonly meanAbsoluteError: number | null;
  /** Spearman's, ties with their mean rank; null where one of the two gives all proofs one mark. */
  readonly rankCorrelation: number | null;
  /** All votes full. */
  readonly accepted: number;
  /** Accepted proofs whose human mark is below full marks, and below half of them. */
  readonly falselyAccepted: number;
  readonly falselyAcceptedBelowHalf: number;
  /** `falselyAccepted` among the accepted, and among the proofs whose human mark is below full marks. */
  readonly falseShareOfAccepted: number | null;
  readonly falseAcceptRate: number | null;
}

/** Audits by set in the order of their first proof, and `all` last. */
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

/** Null where one of the two has one value only. */
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
