/** Plots of proved statements: cumulative pass rate over samples, and pass@k on the held-out split. */
import type { PassAtK } from '@stp/config/records';
import { CATEGORIES, COLOURS, renderChart } from '../chart.ts';
import type { RunFigures } from '../figures.ts';
import type { Plot } from '../plot.ts';
import { band, type Method, methods } from '../progress.ts';

/** If the last point is this many times the first, the axis of samples is logarithmic. */
const LOGARITHMIC_FROM = 300;

export async function progressPlot(runs: readonly RunFigures[]): Promise<Plot | null> {
  const drawn = runs.filter(({ progress }) => progress.length > 1);
  if (drawn.length === 0) return null;
  const groups = methods(drawn);
  const compared = groups.length > 1;
  const logarithmic = isLogarithmic(drawn);
  const fits: Fits = ({ samples }) => !logarithmic || samples > 0;
  const lines = linesOf(groups, fits);
  const bands = bandsOf(groups, fits);
  const roundEnds = drawn.length === 1 ? endsOfRounds(drawn[0]!).filter(fits) : [];
  const layer = progressLayers({ lines, bands, roundEnds, compared, logarithmic });
  const [only] = drawn;
  return {
    name: 'progress',
    title: 'Statements proved over samples',
    caption: compared
      ? 'Share of the dataset with a certified proof. Where a method ran with several seeds: their mean, and their range as a band.'
      : `Share of ${only!.summary.statements} dataset statements with a certified proof. ${
          drawn.length > 1
            ? 'Mean and range over seeds.'
            : 'A point marks the end of a round; the first is the baseline.'
        }`,
    svg: await renderChart({ layer }, 'Share of dataset statements proved, over samples verified'),
    columns: ['run', 'method', 'round', 'samples', 'share_proved'],
    rows: lines.map(({ run, method, round, samples, share }) => [run, method, round, samples, share]),
  };
}

function isLogarithmic(runs: readonly RunFigures[]): boolean {
  const firsts = runs.map(({ progress }) => progress[1]!.samples);
  const ends = runs.map(({ progress }) => progress.at(-1)!.samples);
  return Math.max(...ends) > LOGARITHMIC_FROM * Math.max(1, Math.min(...firsts));
}

/** Selects the points that the axis of samples can show. */
type Fits = (point: { samples: number }) => boolean;

function linesOf(groups: readonly Method[], fits: Fits) {
  return groups.flatMap(({ label, runs: members }) =>
    members.flatMap(({ run, progress, summary }) =>
      progress.filter(fits).map(({ samples, proved, round }) => ({
        method: label,
        run,
        samples,
        share: summary.statements === 0 ? 0 : proved / summary.statements,
        round,
        several: members.length > 1,
      })),
    ),
  );
}

function bandsOf(groups: readonly Method[], fits: Fits) {
  return groups
    .filter(({ runs: members }) => members.length > 1)
    .flatMap(({ label, runs: members }) =>
      band(members)
        .filter(fits)
        .map((point) => ({ method: label, ...point })),
    );
}

interface ProgressData {
  readonly lines: ReturnType<typeof linesOf>;
  readonly bands: ReturnType<typeof bandsOf>;
  readonly roundEnds: ReturnType<typeof endsOfRounds>;
  /** Whether there are several methods, which differ in colour. */
  readonly compared: boolean;
  readonly logarithmic: boolean;
}

/** Returns the layers of the chart that have data: bands, lines of runs, means, ends of rounds. */
function progressLayers({ lines, bands, roundEnds, compared, logarithmic }: ProgressData) {
  const colour = compared
    ? {
        field: 'method',
        type: 'nominal',
        title: null,
        legend: { columns: 1, symbolOpacity: 1 },
        scale: { range: CATEGORIES },
      }
    : { value: COLOURS.accent };
  const x = {
    field: 'samples',
    type: 'quantitative',
    title: 'samples verified',
    scale: logarithmic ? { type: 'log', nice: false } : { nice: false },
    // Formats each label separately: a common format would give 0 and 500 the unit of the largest label, as 0k and
    // 0.5k.
    axis: { labelExpr: "format(datum.value, '~s')", tickCount: 5, labelOverlap: true },
  };
  const y = (field: string) => ({
    field,
    type: 'quantitative',
    title: 'statements proved so far',
    axis: { format: '~%', tickCount: 5 },
    scale: { domainMin: 0, nice: true },
  });
  const ofSeveral = { filter: 'datum.several' };
  const ofOne = { filter: '!datum.several' };
  return [
    {
      data: { values: bands },
      mark: { type: 'area', opacity: 0.18, interpolate: 'step-after' },
      encoding: { x, y: y('low'), y2: { field: 'high' }, color: colour },
    },
    {
      data: { values: lines },
      transform: [ofSeveral],
      mark: { type: 'line', interpolate: 'step-after', strokeWidth: 0.8, opacity: 0.5 },
      encoding: { x, y: y('share'), color: colour, detail: { field: 'run' } },
    },
    {
      data: { values: lines },
      transform: [ofOne],
      mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2 },
      encoding: { x, y: y('share'), color: colour, detail: { field: 'run' } },
    },
    {
      data: { values: bands },
      mark: { type: 'line', interpolate: 'step-after', strokeWidth: 2.4 },
      encoding: { x, y: y('mean'), color: colour },
    },
    {
      data: { values: roundEnds },
      mark: { type: 'point', filled: true, size: 40, opacity: 1 },
      encoding: { x, y: y('share'), color: { value: COLOURS.accent } },
    },
  ].filter(({ data }) => data.values.length > 0);
}

function endsOfRounds({ progress, summary }: RunFigures) {
  return progress
    .slice(1)
    .filter((point, index, all) => all[index + 1]?.round !== point.round)
    .map(({ samples, proved }) => ({ samples, share: summary.statements === 0 ? 0 : proved / summary.statements }));
}

export async function passAtKPlot(runs: readonly RunFigures[]): Promise<Plot | null> {
  const labels = new Map(methods(runs).flatMap(({ label, runs: members }) => members.map((run) => [run, label])));
  const values = runs.flatMap((figures) => {
    if (figures.evaluation === null) return [];
    const { first, last } = figures.evaluation.passAtK;
    const of = (curve: string, points: readonly PassAtK[]) =>
      points.map(({ k, mean, lower, upper }) => ({ run: figures.run, curve, k, mean, lower, upper }));
    return runs.length === 1 ? [...of('SFT model', first), ...of('last model', last)] : of(labels.get(figures)!, last);
  });
  if (values.length === 0) return null;
  const x = {
    field: 'k',
    type: 'quantitative',
    scale: { type: 'log', base: 2, nice: false },
    title: 'k, samples for each statement',
    axis: { format: '~s', labelOverlap: true, values: [...new Set(values.map(({ k }) => k))] },
  };
  const color = {
    field: 'curve',
    type: 'nominal',
    title: null,
    legend: { columns: runs.length === 1 ? 2 : 1, symbolOpacity: 1 },
  };
  const detail = { field: 'run' };
  const y = (field: string) => ({ field, type: 'quantitative', title: 'pass@k', axis: { format: '~%', tickCount: 5 } });
  return {
    name: 'pass-at-k',
    title: 'pass@k on held-out statements',
    caption: `Unbiased estimate with 95 % intervals by bootstrap over the statements${
      runs.length === 1 ? '' : '; the last model of each run'
    }.`,
    svg: await renderChart(
      {
        data: { values },
        layer: [
          {
            mark: { type: 'area', opacity: runs.length === 1 ? 0.18 : 0.08 },
            encoding: { x, y: y('lower'), y2: { field: 'upper' }, color, detail },
          },
          { mark: { type: 'line', strokeWidth: 2, point: { size: 30 } }, encoding: { x, y: y('mean'), color, detail } },
        ],
      },
      'pass@k on held-out statements',
    ),
    columns: ['run', 'curve', 'k', 'mean', 'lower_95', 'upper_95'],
    rows: values.map(({ run, curve, k, mean, lower, upper }) => [run, curve, k, mean, lower, upper]),
  };
}
