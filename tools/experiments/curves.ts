/** Curves of cumulative pass rate against samples, compared at equal samples: pure, read from summaries of finished runs. */
import type { Summary } from '../../data/schemas/round.ts';

export interface CurvePoint {
  /** Samples that Lean judged up to here, all rounds together. */
  readonly samples: number;
  /** Share of the training statements with a certified proof so far. */
  readonly rate: number;
}

/** From nothing at no samples, a point after every round. A skipped round changes nothing and has no point. */
export function curveOf(summary: Pick<Summary, 'rounds' | 'statements'>): CurvePoint[] {
  const points: CurvePoint[] = [{ samples: 0, rate: 0 }];
  let samples = 0;
  for (const round of summary.rounds) {
    if (round.skipped) continue;
    samples += round.samples;
    points.push({ samples, rate: round.provedEver / summary.statements });
  }
  return points;
}

/** Rate at a number of samples, linear between the ends of rounds; null beyond the curve's end. */
export function rateAt(curve: readonly CurvePoint[], samples: number): number | null {
  const after = curve.findIndex((point) => point.samples >= samples);
  if (after < 0) return null;
  const right = curve[after]!;
  const left = curve[after - 1];
  if (left === undefined || right.samples === left.samples) return right.rate;
  return left.rate + ((right.rate - left.rate) * (samples - left.samples)) / (right.samples - left.samples);
}

export interface Spread {
  readonly mean: number;
  /** Sample standard deviation over seeds; 0 for a single one. */
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

export interface MethodResult {
  readonly method: string;
  /** One entry a seed, in the order of the seeds. */
  readonly summaries: readonly Summary[];
}

export interface ComparedMethod {
  readonly method: string;
  /** Cumulative pass rate at the seed's common number of samples, one a seed. */
  readonly rates: readonly number[];
  readonly rate: Spread;
  /** The same at half of the common number of samples: who was faster. */
  readonly rateAtHalf: Spread;
  /** Share of held-out statements that the last model proved, one a seed; empty without an evaluation. */
  readonly heldOut: readonly number[];
  /** Share of held-out statements proved by the SFT model, one a seed. */
  readonly heldOutFirst: readonly number[];
}

export interface Comparison {
  /** Samples at which the methods are compared, a seed: where the shortest curve of that seed ends. */
  readonly samples: readonly number[];
  readonly methods: readonly ComparedMethod[];
}

/** Compares methods seed by seed at the number of samples that all of them reached. */
export function compare(results: readonly MethodResult[]): Comparison {
  const seeds = results[0]?.summaries.length ?? 0;
  const curves = results.map(({ summaries }) => summaries.map(curveOf));
  const samples = Array.from({ length: seeds }, (_, seed) =>
    Math.min(...curves.map((ofMethod) => ofMethod[seed]!.at(-1)!.samples)),
  );
  const methods = results.map(({ method, summaries }, index): ComparedMethod => {
    const rates = samples.map((common, seed) => rateAt(curves[index]![seed]!, common)!);
    const evaluated = summaries.flatMap(({ heldOut }) => (heldOut === null ? [] : [heldOut]));
    return {
      method,
      rates,
      rate: spreadOf(rates),
      rateAtHalf: spreadOf(samples.map((common, seed) => rateAt(curves[index]![seed]!, common / 2)!)),
      heldOut: evaluated.map(({ provedLast, statements }) => provedLast / statements),
      heldOutFirst: evaluated.map(({ provedFirst, statements }) => provedFirst / statements),
    };
  });
  return { samples, methods };
}
