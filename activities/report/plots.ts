/** Plots of a run as SVG, made by Vega-Lite. Colours are CSS variables, so that one SVG serves light and dark pages. */
import { parse, type Spec, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Summary } from '../../data/schemas/round.ts';

export interface Plot {
  readonly title: string;
  readonly caption: string;
  readonly svg: string;
}

/** Stand-ins that the renderer accepts; replaced by variables of the page's style sheet afterwards. */
const THEME: Readonly<Record<string, string>> = {
  '#010101': 'var(--ink)',
  '#020202': 'var(--muted)',
  '#030303': 'var(--rule)',
  '#040404': 'var(--accent)',
};
const CATEGORY_COLOURS = [
  '#3b7dd8',
  '#e08a2c',
  '#3a9d6c',
  '#b65bb0',
  '#c94f4f',
  '#7a7f87',
  '#0f9ca3',
  '#a58b2a',
  '#5d6bd0',
];

const CONFIG = {
  background: 'transparent',
  font: 'system-ui, sans-serif',
  view: { stroke: 'transparent' },
  axis: {
    labelColor: '#020202',
    titleColor: '#020202',
    gridColor: '#030303',
    domainColor: '#030303',
    tickColor: '#030303',
    labelFontSize: 11,
    titleFontSize: 11,
    titleFontWeight: 'normal',
  },
  legend: {
    labelColor: '#020202',
    titleColor: '#020202',
    labelFontSize: 11,
    titleFontSize: 11,
    orient: 'bottom',
    columns: 4,
  },
  range: { category: CATEGORY_COLOURS },
} as const;

async function render(spec: object): Promise<string> {
  const complete = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: 420,
    height: 220,
    config: CONFIG,
    ...spec,
  };
  const view = new View(parse(compile(complete as unknown as TopLevelSpec).spec as Spec), { renderer: 'none' });
  try {
    const svg = await view.toSVG();
    return Object.entries(THEME).reduce((text, [from, to]) => text.replaceAll(from, to), svg);
  } finally {
    view.finalize();
  }
}

export interface PlotData {
  readonly summary: Summary;
  /** Pass rates of conjectures, one a conjecture with at least one attempt. */
  readonly conjecturePassRates: readonly { round: number; rate: number }[];
  /** Loss of every optimizer step of every training. */
  readonly losses: readonly { stage: string; step: number; loss: number }[];
}

export async function makePlots(data: PlotData): Promise<Plot[]> {
  const { summary } = data;
  const proved = [
    { after: 'baseline', order: 0, proved: summary.provedBaseline },
    ...summary.provedPerRound.map((count, index) => ({ after: `round ${index + 1}`, order: index + 1, proved: count })),
  ];
  const funnel = summary.rounds
    .filter((round) => round.round > 0)
    .flatMap((round) => [
      { round: round.round, step: 'made', order: 0, count: round.conjecturesMade },
      { round: round.round, step: 'attempted', order: 1, count: round.conjecturesAttempted },
      { round: round.round, step: 'proved', order: 2, count: round.conjecturesProved },
      { round: round.round, step: 'kept', order: 3, count: round.conjecturesKept },
    ]);
  const verdicts = Object.entries(summary.verdicts).map(([verdict, count]) => ({ verdict, count }));
  const stages = Object.entries(summary.secondsPerStage)
    .filter(([, seconds]) => seconds >= 0.05)
    .map(([stage, seconds]) => ({ stage, seconds }));
  const plots: Plot[] = [
    {
      title: 'Statements proved',
      caption: `Dataset statements with at least one certified proof so far, of ${summary.statements}.`,
      svg: await render({
        data: { values: proved },
        encoding: {
          x: { field: 'after', type: 'ordinal', sort: { field: 'order' }, title: null, axis: { labelAngle: 0 } },
          y: { field: 'proved', type: 'quantitative', title: 'statements', scale: { domainMin: 0 } },
        },
        layer: [
          { mark: { type: 'bar', color: '#040404', width: { band: 0.6 } } },
          { mark: { type: 'text', dy: -7, color: '#010101', fontSize: 12 }, encoding: { text: { field: 'proved' } } },
        ],
      }),
    },
    {
      title: 'Verdicts of Lean',
      caption: 'All samples of all rounds, equal samples counted each time.',
      svg: await render({
        data: { values: verdicts },
        encoding: {
          y: { field: 'verdict', type: 'nominal', sort: '-x', title: null },
          x: { field: 'count', type: 'quantitative', title: 'samples', axis: { format: '~s' } },
        },
        layer: [
          { mark: { type: 'bar', color: '#040404' } },
          { mark: { type: 'text', align: 'left', dx: 4, color: '#010101' }, encoding: { text: { field: 'count' } } },
        ],
      }),
    },
    {
      title: 'Time by stage',
      caption: 'Wall time, summed over rounds.',
      svg: await render({
        data: { values: stages },
        encoding: {
          y: { field: 'stage', type: 'nominal', sort: '-x', title: null },
          x: { field: 'seconds', type: 'quantitative', title: 'seconds' },
        },
        layer: [
          { mark: { type: 'bar', color: '#040404' } },
          {
            mark: { type: 'text', align: 'left', dx: 4, color: '#010101' },
            encoding: { text: { field: 'seconds', format: '.1f' } },
          },
        ],
      }),
    },
  ];
  if (funnel.length > 0)
    plots.push({
      title: 'Conjectures',
      caption: 'Texts the model wrote, those that passed the gate, those it proved, those that trained it.',
      svg: await render({
        data: { values: funnel },
        mark: 'bar',
        encoding: {
          x: { field: 'round', type: 'ordinal', title: 'round', axis: { labelAngle: 0 } },
          xOffset: { field: 'step', sort: ['made', 'attempted', 'proved', 'kept'] },
          y: { field: 'count', type: 'quantitative', title: 'conjectures' },
          color: { field: 'step', sort: ['made', 'attempted', 'proved', 'kept'], title: null },
        },
      }),
    });
  if (data.conjecturePassRates.length > 0)
    plots.push({
      title: 'Pass rates of conjectures',
      caption: 'Share of the samples of a conjecture that Lean accepts. What is rarely proved, but proved, trains.',
      svg: await render({
        data: { values: data.conjecturePassRates },
        mark: 'bar',
        encoding: {
          x: { field: 'rate', bin: { step: 0.0625, extent: [0, 1] }, title: 'pass rate', axis: { format: '.2f' } },
          y: { aggregate: 'count', title: 'conjectures' },
          color: { field: 'round', type: 'ordinal', title: 'round', scale: { range: CATEGORY_COLOURS } },
        },
      }),
    });
  if (data.losses.length > 0)
    plots.push({
      title: 'Training loss',
      caption: 'Nats per target token, weighted, at every optimizer step.',
      svg: await render({
        data: { values: data.losses },
        mark: { type: 'line', strokeWidth: 1.5 },
        encoding: {
          x: { field: 'step', type: 'quantitative', title: 'optimizer step' },
          y: { field: 'loss', type: 'quantitative', title: 'loss' },
          color: { field: 'stage', title: null },
        },
      }),
    });
  return plots;
}
