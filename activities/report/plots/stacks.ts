/** Stacked bars for each round: shares of verdicts, seconds of stages. */
import { type VerdictKind, verdictKindSchema } from '@stp/config/records';
import { CATEGORIES, renderChart, WIDTH } from '../chart.ts';
import type { RunFigures } from '../figures.ts';
import type { Plot } from '../plot.ts';
import { roundAxis } from './conjectures.ts';

/** Name and colour index: the same in every report, independent of other series. */
type Category = readonly [string, number];

/** Verdicts that are merely wrong are grey, so that proved and lost samples stand out. */
const VERDICTS: readonly (readonly [VerdictKind, number])[] = [
  ['proved', 0],
  ['rejected', 5],
  ['sorry', 7],
  ['forbidden', 6],
  ['timeout', 1],
  ['oom', 3],
  ['crash', 8],
  ['header_error', 9],
  ['no_proof', 2],
  ['changed_statement', 9],
  ['infra', 4],
];
const STAGES: readonly Category[] = [
  ['conjecture', 3],
  ['prove', 0],
  ['select', 5],
  ['train', 1],
];
const OTHER_STAGE = 9;

export async function verdictsPlot(run: RunFigures): Promise<Plot | null> {
  const values = run.rounds.flatMap(({ round, counts }) =>
    verdictKindSchema.options.flatMap((kind) => {
      const count = counts.verdicts[kind] ?? 0;
      return count === 0 ? [] : [{ round, kind, count }];
    }),
  );
  if (values.length === 0) return null;
  return {
    name: 'verdicts',
    title: 'Verdicts of Lean',
    caption: 'Shares of all samples of a round, equal samples counted each time.',
    svg: await stacked({
      values: values.map(({ round, kind, count }) => ({ round, category: kind, amount: count })),
      categories: VERDICTS,
      shares: true,
      description: 'Shares of verdicts by round',
    }),
    columns: ['round', 'verdict', 'samples'],
    rows: values.map(({ round, kind, count }) => [round, kind, count]),
  };
}

/** Stages shorter than this, in seconds, are not drawn. */
const STAGE_SECONDS_MIN = 0.05;

export async function stagesPlot(run: RunFigures): Promise<Plot | null> {
  const values = run.rounds.flatMap(({ round, secondsPerStage }) =>
    Object.entries(secondsPerStage)
      .filter(([, seconds]) => seconds >= STAGE_SECONDS_MIN)
      .map(([stage, seconds]) => ({ round, stage, seconds })),
  );
  if (values.length === 0) return null;
  const others = [...new Set(values.map(({ stage }) => stage))].filter(
    (stage) => !STAGES.some(([name]) => name === stage),
  );
  return {
    name: 'stages',
    title: 'Time by stage',
    caption: 'Wall time of the rounds. The table has the time before and after them.',
    svg: await stacked({
      values: values.map(({ round, stage, seconds }) => ({ round, category: stage, amount: seconds })),
      categories: [...STAGES, ...others.map((stage): Category => [stage, OTHER_STAGE])],
      shares: false,
      description: 'Wall time in seconds by stage and round',
    }),
    columns: ['round', 'stage', 'seconds'],
    rows: values.map(({ round, stage, seconds }) => [round, stage, seconds]),
  };
}

interface Stacked {
  readonly values: readonly { readonly round: number; readonly category: string; readonly amount: number }[];
  /** Categories from the bottom up; empty ones are left out. */
  readonly categories: readonly Category[];
  readonly shares: boolean;
  readonly description: string;
}

function stacked({ values, categories, shares, description }: Stacked): Promise<string> {
  const rounds = values.map(({ round }) => round);
  const count = Math.max(...rounds) - Math.min(...rounds) + 1;
  const shown = categories.filter(([name]) => values.some(({ category }) => category === name));
  const rank = new Map(shown.map(([name], index) => [name, index]));
  const spec = {
    data: { values: values.map((value) => ({ ...value, rank: rank.get(value.category) })) },
    mark: { type: 'bar', size: Math.max(2, Math.min(48, (0.7 * WIDTH) / count)) },
    encoding: {
      x: roundAxis(rounds),
      y: {
        field: 'amount',
        type: 'quantitative',
        stack: shares ? 'normalize' : 'zero',
        title: shares ? null : 'seconds',
        axis: { tickCount: 5, format: shares ? '~%' : '~s' },
      },
      color: {
        field: 'category',
        type: 'nominal',
        title: null,
        scale: { domain: shown.map(([name]) => name), range: shown.map(([, colour]) => CATEGORIES[colour]) },
      },
      order: { field: 'rank', type: 'quantitative' },
    },
  };
  return renderChart(spec, description);
}
