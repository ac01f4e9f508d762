/** The comparison of objectives as Markdown: what each method proved, at equal cost, and what verifiers add. */
import type { EnsembleFigures } from '../../activities/ensemble/measure-ensemble.ts';
import { type Comparison, type Cost, compare, curveOf, type MethodResult, spreadOf } from './curves.ts';
import { foundWithin, type HeldOutSearch } from './objective-figures.ts';
import { METHODS, type ObjectiveRun, type SeedResult } from './objectives.ts';

/** Seconds of Lean that a search may take, for the curve of held-out statements. */
const SEARCH_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 16];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
function spread(values: readonly number[], digits: number, scale = 1): string {
  const { mean, deviation } = spreadOf(values);
  return `${(scale * mean).toFixed(digits)} ± ${(scale * deviation).toFixed(digits)}`;
}

export interface ObjectiveResult extends MethodResult {
  readonly name: string;
  readonly runs: readonly ObjectiveRun[];
}

export function byMethod(results: readonly SeedResult[]): ObjectiveResult[] {
  const names = [...results[0]!.runs.keys()];
  return names.map((name) => ({
    name,
    method: METHODS[name]!.label,
    runs: results.map(({ runs }) => runs.get(name)!),
  }));
}

/** Means and sample standard deviations over the seeds. */
export function objectivesTable(results: readonly SeedResult[]): string {
  const methods = byMethod(results);
  const verifiers = results.flatMap(({ verifier }) => verifier ?? []);
  return [
    '| method | statements proved after each round, seed by seed | held-out pass@1, last model (95 % intervals) | held-out pass@k, most samples | different proofs a statement | different premise sets | Lean, s |',
    '|---|---|---|---|---|---|---|',
    ...methods.map(methodRow),
    '',
    ...equalCost(methods),
    ...searches(methods),
    ...(verifiers.length === 0 ? [] : ['', verifierLine(verifiers)]),
  ].join('\n');
}

function methodRow({ method, runs }: ObjectiveResult): string {
  const rounds = runs.map(({ summary }) => [summary.provedBaseline, ...summary.provedPerRound].join(', ')).join('; ');
  const last = runs.flatMap(({ summary: { heldOut } }) => (heldOut === null ? [] : [heldOut.passAtK.last]));
  const passAt = (k: number): string => {
    const found = last.flatMap((all) => all.filter((pass) => pass.k === k));
    if (found.length === 0) return '–';
    const intervals = found.map(({ lower, upper }) => `${percent(lower)}–${percent(upper)}`).join(', ');
    const means = found.map(({ mean }) => mean);
    return `${spread(means, 1, 100)} % (${intervals})`;
  };
  const kMax = Math.max(...last.flatMap((all) => all.map(({ k }) => k)));
  const proofs = runs.map((run) => run.proofs);
  const premises = runs.map(({ premiseSets }) => premiseSets);
  const seconds = runs.map((run) => curveOf(run, 'leanSeconds').at(-1)!.cost.toFixed(0)).join(', ');
  return `| ${method} | ${rounds} | ${passAt(1)} | ${passAt(kMax)} | ${spread(proofs, 2)} | ${spread(premises, 2)} | ${seconds} |`;
}

/** Seed by seed at the least that any of the methods spent; where methods stand in between, linear from round to round. */
function equalCost(methods: readonly ObjectiveResult[]): string[] {
  const drawn = methods.filter(({ name }) => METHODS[name]!.samples);
  const [bySamples, byLean] = [compare(drawn), compare(methods)];
  const share = ({ methods: all }: Comparison, label: string, cost: Cost): string => {
    const rates = all.find(({ method }) => method === label)?.rates[cost];
    return rates === undefined ? '– | –' : `${spread(rates.each, 1, 100)} % | ${rates.each.map(percent).join(', ')}`;
  };
  const half = (label: string): string => {
    const { atHalf } = byLean.methods.find(({ method }) => method === label)!.rates.leanSeconds;
    return `${percent(atHalf.mean)} ± ${(100 * atHalf.deviation).toFixed(1)}`;
  };
  const curve = ({ runs }: ObjectiveResult): string =>
    runs
      .map((run) =>
        curveOf(run, 'leanSeconds')
          .slice(1)
          .map(({ cost, rate }) => `${cost.toFixed(0)} s: ${Math.round(rate * run.summary.statements)}`)
          .join(', '),
      )
      .join('; ');
  return [
    '| method | at equal samples | seed by seed | at equal Lean time | seed by seed | at half of it | statements proved by seconds of Lean, after each round |',
    '|---|---|---|---|---|---|---|',
    ...methods.map(
      (own) =>
        `| ${own.method} | ${share(bySamples, own.method, 'samples')} | ${share(byLean, own.method, 'leanSeconds')} | ${half(own.method)} | ${curve(own)} |`,
    ),
    '',
    `Shares of the training statements, at ${bySamples.at.samples.join(', ') || 'no'} samples and at ${byLean.at.leanSeconds.map((one) => one.toFixed(0)).join(', ')} s of Lean (seed by seed). Searches draw no samples that could be compared.`,
  ];
}

/** Both search with the same SFT model, so only the verifiers differ. */
function searches(methods: readonly ObjectiveResult[]): string[] {
  const searched = methods.filter(({ runs }) => runs.some(({ heldOutSearches }) => heldOutSearches.length > 0));
  if (searched.length === 0) return [];
  const total = (all: readonly HeldOutSearch[]): number => all.reduce((sum, one) => sum + one.leanSeconds, 0);
  return [
    '',
    `| held-out statements of the SFT model proved with so many s of Lean each | ${SEARCH_SECONDS.map((seconds) => `${seconds}`).join(' | ')} | all | of | Lean, s |`,
    `|---|${'---|'.repeat(SEARCH_SECONDS.length + 3)}`,
    ...searched.map(({ method, runs }) => {
      const each = (value: (all: readonly HeldOutSearch[]) => number | string): string =>
        runs.map(({ heldOutSearches }) => value(heldOutSearches)).join(', ');
      const within = [...SEARCH_SECONDS, Number.POSITIVE_INFINITY].map((limit) =>
        each((all) => foundWithin(all, limit)),
      );
      return `| ${method} | ${within.join(' | ')} | ${each((all) => all.length)} | ${each((all) => total(all).toFixed(0))} |`;
    }),
  ];
}

function verifierLine(figures: readonly EnsembleFigures[]): string {
  const numbers = (figures[0]?.bestOf ?? []).map(({ n }) => n);
  const curve = numbers.map((n) => {
    const shares = figures.flatMap(({ bestOf }) => bestOf.filter((point) => point.n === n).map(({ share }) => share));
    return `${n}: ${spread(shares, 1, 100)} %`;
  });
  const area = (pick: (one: EnsembleFigures) => number | null): string =>
    spread(
      figures.map((one) => pick(one) ?? Number.NaN),
      3,
    );
  return (
    `Verifier (by DPO on expert iteration's tries): area under the curve ${area((one) => one.area)}, within statements ${area((one) => one.areaWithin)}; ` +
    `calibration error ${area((one) => one.calibrationError)}; disagreement ${area((one) => one.disagreement)}. ` +
    `Held-out statements whose chosen proof of n is right, among the different samples of the first and the last model: ${curve.join(', ')}.`
  );
}
