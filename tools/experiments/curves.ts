/** Curves of cumulative pass rate against cost, compared at equal cost. Pure; reads summaries of finished runs. */
import type { Summary } from '@stp/config/records';

/** Costs of a method: samples that Lean judged, and Lean's time for samples, scripts and the gate, in seconds. */
export const COSTS = ['samples', 'leanSeconds'] as const;
export type Cost = (typeof COSTS)[number];

export interface FinishedRun {
  readonly summary: Pick<Summary, 'rounds' | 'statements' | 'heldOut'>;
  /** Lean time in seconds, by the round's number. */
  readonly leanSeconds: ReadonlyMap<number, number>;
}

export interface CurvePoint {
  /** Total cost of all rounds so far. */
  readonly cost: number;
  /** Share of the training statements with a certified proof so far. */
  readonly rate: number;
}

/** Makes a curve from (0, 0), with a point after every round. A skipped round has no point. */
export function curveOf({ summary, leanSeconds }: FinishedRun, by: Cost): CurvePoint[] {
  const points: CurvePoint[] = [{ cost: 0, rate: 0 }];
  let cost = 0;
  for (const { round, samples, skipped, provedEver } of summary.rounds) {
    if (skipped) continue;
    cost += by === 'samples' ? samples : (leanSeconds.get(round) ?? 0);
    points.push({ cost, rate: provedEver / summary.statements });
  }
  return points;
}

/** Returns the rate at a cost, interpolated linearly between rounds; null beyond the curve's end. */
export function rateAt(curve: readonly CurvePoint[], cost: number): number | null {
  const after = curve.findIndex((point) => point.cost >= cost);
  if (after < 0) return null;
  const right = curve[after]!;
  const left = curve[after - 1];
  if (left === undefined || right.cost === left.cost) return right.rate;
  return left.rate + ((right.rate - left.rate) * (cost - left.cost)) / (right.cost - left.cost);
}

export interface Spread {
  readonly mean: number;
  /** Sample standard deviation over seeds; 0 for a single seed. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0,
    min: Math.min(...values),
    max: Math.max(...values),
  };
}

/** Number of steps of a line. */
const STEPS = 80;

/** Returns the rates of one curve a seed at equal steps of the cost, from 0 to the end of the shortest curve. */
export function lineOf(curves: readonly (readonly CurvePoint[])[]): { cost: number; rate: Spread }[] {
  const end = Math.min(...curves.map((curve) => curve.at(-1)!.cost));
  return Array.from({ length: STEPS + 1 }, (_, step) => {
    // The last step gives the end itself: `end * step / STEPS` can be rounded to more than the end.
    const cost = end * (step / STEPS);
    return { cost, rate: spreadOf(curves.map((curve) => rateAt(curve, cost)!)) };
  });
}

export interface MethodResult {
  readonly method: string;
  /** One run for each seed, in the order of the seeds. */
  readonly runs: readonly FinishedRun[];
}

/** Cumulative pass rates at the end of each seed's shortest curve. */
export interface Rates {
  /** One rate for each seed. */
  readonly each: readonly number[];
  readonly all: Spread;
  /** The rate at half of the common cost: shows which method was faster. */
  readonly atHalf: Spread;
}

export interface ComparedMethod {
  readonly method: string;
  readonly rates: Readonly<Record<Cost, Rates>>;
  /** Share of held-out statements that the last model proved, for each seed; empty without an evaluation. */
  readonly heldOut: readonly number[];
  /**
   * The same share together with proofs by scripts over the run's lemmas, one a seed; empty if a run tries no scripts.
   */
  readonly heldOutWithScripts: readonly number[];
  /** Share of held-out statements proved by the SFT model, one a seed. */
  readonly heldOutFirst: readonly number[];
}

export interface Comparison {
  /** The common cost at which the methods are compared, for each seed. */
  readonly at: Readonly<Record<Cost, readonly number[]>>;
  readonly methods: readonly ComparedMethod[];
}

/** Compares methods seed by seed at the cost that all of them reached. */
export function compare(results: readonly MethodResult[]): Comparison {
  const seeds = results[0]?.runs.length ?? 0;
  const by = (cost: Cost) => {
    const curves = results.map(({ runs }) => runs.map((run) => curveOf(run, cost)));
    const at = Array.from({ length: seeds }, (_, seed) =>
      Math.min(...curves.map((ofMethod) => ofMethod[seed]!.at(-1)!.cost)),
    );
    const rates = curves.map((ofMethod): Rates => {
      const each = at.map((common, seed) => rateAt(ofMethod[seed]!, common)!);
      const half = at.map((common, seed) => rateAt(ofMethod[seed]!, common / 2)!);
      return { each, all: spreadOf(each), atHalf: spreadOf(half) };
    });
    return { at, rates };
  };
  const [samples, leanSeconds] = COSTS.map(by) as [ReturnType<typeof by>, ReturnType<typeof by>];
  const methods = results.map(({ method, runs }, index): ComparedMethod => {
    const evaluated = runs.flatMap(({ summary: { heldOut } }) => (heldOut === null ? [] : [heldOut]));
    return {
      method,
      rates: { samples: samples.rates[index]!, leanSeconds: leanSeconds.rates[index]! },
      heldOut: evaluated.map(({ provedLast, statements }) => provedLast / statements),
      heldOutWithScripts: evaluated.flatMap(({ withScripts, statements }) =>
        withScripts === undefined ? [] : [withScripts.last / statements],
      ),
      heldOutFirst: evaluated.map(({ provedFirst, statements }) => provedFirst / statements),
    };
  });
  return { at: { samples: samples.at, leanSeconds: leanSeconds.at }, methods };
}
