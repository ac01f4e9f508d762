/** Rounds side by side: pass rates, verdicts, time by stage, the growing library, training loss. */
import { verdictKindSchema } from '../../../data/schemas/records.ts';
import { CATEGORIES, COLOURS, renderChart, WIDTH } from '../chart.ts';
import { RATE_BINS } from '../distribution.ts';
import type { RunFigures } from '../figures.ts';
import { formatNumber } from '../html.ts';
import type { Plot } from '../plot.ts';
import { roundAxis } from './conjectures.ts';

/** Rounds with a histogram of their own; of more, these many evenly, the first and the last among them. */
const HISTOGRAMS_MAX = 8;
/** Points of the loss drawn; the rest is in metrics.jsonl. */
const LOSS_POINTS_MAX = 400;

const evenly = <T>(items: readonly T[], max: number): T[] =>
  items.length <= max
    ? [...items]
    : Array.from({ length: max }, (_, index) => items[Math.round((index * (items.length - 1)) / (max - 1))]!);

/** Histograms of pass rates, one a round. Statements never proved are counted in words, they would hide the others. */
export async function ratesPlot(run: RunFigures, origin: 'dataset' | 'conjecture'): Promise<Plot | null> {
  const rounds = run.rounds.flatMap(({ round, rates }) => {
    const { never, bins } = rates[origin];
    const attempted = bins.reduce((sum, count) => sum + count, never);
    return attempted === 0 ? [] : [{ round, never, bins, attempted }];
  });
  if (rounds.length === 0) return null;
  const drawn = evenly(rounds, HISTOGRAMS_MAX);
  const label = ({ round, never, attempted }: (typeof rounds)[number]): string =>
    `${nameOfRound(round)}: ${formatNumber(attempted - never)} of ${formatNumber(attempted)}`;
  const values = drawn.flatMap((entry) =>
    entry.bins.map((count, bin) => ({ label: label(entry), from: bin / RATE_BINS, to: (bin + 1) / RATE_BINS, count })),
  );
  const what = origin === 'dataset' ? 'dataset statements' : 'conjectures';
  return {
    name: `pass-rates-${origin}`,
    title: `Pass rates of ${what}`,
    caption: `Share of a statement's samples that Lean accepts, for those with any; how many that are of those attempted stands above.${
      drawn.length < rounds.length ? ` ${drawn.length} of ${rounds.length} rounds.` : ''
    }`,
    svg: await renderChart(
      {
        data: { values },
        facet: {
          row: {
            field: 'label',
            type: 'nominal',
            sort: drawn.map(label),
            title: null,
            header: { orient: 'top', labelAnchor: 'start', labelPadding: 2 },
          },
        },
        spacing: 6,
        spec: {
          width: WIDTH,
          height: 34,
          mark: { type: 'bar', color: COLOURS.accent, binSpacing: 2 },
          encoding: {
            x: {
              field: 'from',
              type: 'quantitative',
              bin: 'binned',
              title: 'pass rate',
              axis: { format: '~%', tickCount: 6, grid: false },
            },
            x2: { field: 'to' },
            y: { field: 'count', type: 'quantitative', axis: null },
          },
        },
        resolve: { scale: { y: 'independent' } },
        width: undefined,
        height: undefined,
      },
      `Histograms of pass rates of ${what} by round`,
    ),
    columns: ['round', 'attempted', 'never', ...rounds[0]!.bins.map((_, bin) => `up_to_${(bin + 1) / RATE_BINS}`)],
    rows: rounds.map(({ round, attempted, never, bins }) => [round, attempted, never, ...bins]),
  };
}

const nameOfRound = (round: number): string => (round === 0 ? 'baseline' : `round ${round}`);

export async function verdictsPlot(run: RunFigures): Promise<Plot | null> {
  const values = run.rounds.flatMap(({ round, counts }) =>
    verdictKindSchema.options.flatMap((kind) => {
      const count = counts.verdicts[kind] ?? 0;
      return count === 0 ? [] : [{ round, kind, count }];
    }),
  );
  if (values.length === 0) return null;
  const kinds = verdictKindSchema.options.filter((kind) => values.some((value) => value.kind === kind));
  return {
    name: 'verdicts',
    title: 'Verdicts of Lean',
    caption: 'Shares of all samples of a round, equal samples counted each time.',
    svg: await stacked(values, 'kind', kinds, 'count', 'normalize', null, 'Shares of verdicts by round'),
    columns: ['round', 'verdict', 'samples'],
    rows: values.map(({ round, kind, count }) => [round, kind, count]),
  };
}

/** Seconds below which a stage is not drawn. */
const STAGE_SECONDS_MIN = 0.05;

export async function stagesPlot(run: RunFigures): Promise<Plot | null> {
  const values = run.rounds.flatMap(({ round, secondsPerStage }) =>
    Object.entries(secondsPerStage)
      .filter(([, seconds]) => seconds >= STAGE_SECONDS_MIN)
      .map(([stage, seconds]) => ({ round, stage, seconds })),
  );
  if (values.length === 0) return null;
  const order = ['conjecture', 'prove', 'certify', 'select', 'train'];
  const seen = [...new Set(values.map(({ stage }) => stage))];
  const stages = [
    ...order.filter((stage) => seen.includes(stage)),
    ...seen.filter((stage) => !order.includes(stage)).sort(),
  ];
  return {
    name: 'stages',
    title: 'Time by stage',
    caption: 'Wall time of the rounds. What is before and after them stands in the table.',
    svg: await stacked(values, 'stage', stages, 'seconds', 'zero', 'seconds', 'Wall time by stage and round'),
    columns: ['round', 'stage', 'seconds'],
    rows: values.map(({ round, stage, seconds }) => [round, stage, seconds]),
  };
}

function stacked(
  values: readonly { readonly round: number }[],
  field: string,
  order: readonly string[],
  amount: string,
  stack: 'normalize' | 'zero',
  title: string | null,
  description: string,
): Promise<string> {
  const rounds = values.map(({ round }) => round);
  const count = Math.max(...rounds) - Math.min(...rounds) + 1;
  const spec = {
    data: {
      values: values.map((value) => ({ ...value, rank: order.indexOf(String(value[field as keyof typeof value])) })),
    },
    mark: { type: 'bar', size: Math.max(2, Math.min(48, (0.7 * WIDTH) / count)) },
    encoding: {
      x: roundAxis(rounds),
      y: {
        field: amount,
        type: 'quantitative',
        stack,
        title,
        axis: { tickCount: 5, format: stack === 'normalize' ? '~%' : '~s' },
      },
      color: { field, type: 'nominal', title: null, scale: { domain: order, range: CATEGORIES } },
      order: { field: 'rank', type: 'quantitative' },
    },
  };
  return renderChart(spec, description);
}

/** Lemmas that a growing library has, by round; a fixed one has none of its own. */
export async function libraryPlot(runs: readonly RunFigures[]): Promise<Plot | null> {
  if (!runs.some(({ config }) => config.library === 'grow')) return null;
  const values = runs.flatMap(({ run, rounds, config }) =>
    rounds.map(({ round, libraryGrown, proofsWithGrown }) => ({
      line: `${run} (${config.library === 'grow' ? 'grows' : 'fixed'})`,
      run,
      round,
      libraryGrown,
      proofsWithGrown,
    })),
  );
  if (values.length === 0) return null;
  return {
    name: 'library',
    title: 'Library growth',
    caption: 'Certified conjectures of earlier rounds that proofs of a round could use.',
    svg: await renderChart(
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 2, point: { size: 40 } },
        encoding: {
          x: roundAxis(values.map(({ round }) => round)),
          y: {
            field: 'libraryGrown',
            type: 'quantitative',
            title: 'theorems added',
            axis: { tickCount: 5, format: '~s' },
          },
          color:
            runs.length === 1
              ? { value: COLOURS.accent }
              : { field: 'line', type: 'nominal', title: null, legend: { columns: 1 } },
        },
      },
      'Theorems added to the library, by round',
    ),
    columns: ['run', 'round', 'theorems_added', 'proofs_that_use_one'],
    rows: values.map(({ run, round, libraryGrown, proofsWithGrown }) => [run, round, libraryGrown, proofsWithGrown]),
  };
}

/** Losses of all trainings, one after the other. */
export async function lossPlot({ losses }: RunFigures): Promise<Plot | null> {
  if (losses.length === 0) return null;
  const every = Math.ceil(losses.length / LOSS_POINTS_MAX);
  const values = losses
    .map(({ stage, step, loss }, index) => ({ stage, step, loss, total: index, kind: kindOfTraining(stage) }))
    .filter(({ total, loss }) => total % every === 0 && Number.isFinite(loss));
  return {
    name: 'loss',
    title: 'Training loss',
    caption: 'Nats per target token, weighted; trainings one after the other.',
    svg: await renderChart(
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 1.5 },
        encoding: {
          x: {
            field: 'total',
            type: 'quantitative',
            title: 'logged steps of all trainings',
            axis: { format: '~s', tickCount: 5 },
            scale: { nice: false },
          },
          y: { field: 'loss', type: 'quantitative', title: 'loss', axis: { tickCount: 5 } },
          color: { field: 'kind', type: 'nominal', sort: ['SFT', 'rounds', 'retraining'], title: null },
          detail: { field: 'stage' },
        },
      },
      'Training loss over optimizer steps',
    ),
    columns: ['training', 'step', 'loss'],
    rows: values.map(({ stage, step, loss }) => [stage, step, loss]),
  };
}

const kindOfTraining = (stage: string): string =>
  stage.startsWith('sft') ? 'SFT' : stage.startsWith('retrain') ? 'retraining' : 'rounds';
