/** Plots of conjectures: how many remain after each step of gate and proof. */
import { COLOURS, renderChart, WIDTH } from '../chart.ts';
import type { RunFigures } from '../figures.ts';
import { FUNNEL_STEPS, funnel, GATE_REASONS } from '../funnel.ts';
import { formatNumber, formatShare } from '../html.ts';
import type { Plot } from '../plot.ts';

/** Plots the funnel of all rounds together. */
export async function funnelPlot(run: RunFigures): Promise<Plot | null> {
  const rounds = funnel(run);
  if (rounds.length === 0) return null;
  const total = FUNNEL_STEPS.map((step) => ({ step, count: rounds.reduce((sum, { left }) => sum + left[step], 0) }));
  const values = total.map(({ step, count }) => ({
    step,
    count,
    label: `${formatNumber(count)} (${formatShare(count, total[0]!.count)})`,
  }));
  const y = { field: 'step', type: 'nominal', sort: [...FUNNEL_STEPS], title: null };
  const gateColumns = GATE_REASONS.map((reason) => `refused_${reason.replace('-', '_')}`);
  const gateOf = new Map(run.rounds.map(({ round, counts }) => [round, counts.gate]));
  return {
    name: 'funnel',
    title: 'From texts to training examples',
    caption: `Conjectures of ${rounds.length} round${rounds.length === 1 ? '' : 's'}: what is left after each step, and its share of the texts made. Kept: used the lemma, elegant; matched: near an unproved statement.`,
    svg: await renderChart(
      {
        width: WIDTH - 90,
        height: { step: 24 },
        data: { values },
        encoding: {
          y,
          x: {
            field: 'count',
            type: 'quantitative',
            title: null,
            axis: null,
            scale: { domainMax: 1.55 * Math.max(1, total[0]!.count) },
          },
        },
        layer: [
          { mark: { type: 'bar', color: COLOURS.accent, height: { band: 0.7 } } },
          {
            mark: { type: 'text', align: 'left', dx: 4, color: COLOURS.ink, fontSize: 12 },
            encoding: { text: { field: 'label' } },
          },
        ],
      },
      'How many conjecture texts are left after each step',
    ),
    columns: ['round', ...FUNNEL_STEPS.map((step) => step.replaceAll(' ', '_')), ...gateColumns],
    rows: rounds.map(({ round, left }) => [
      round,
      ...FUNNEL_STEPS.map((step) => left[step]),
      ...GATE_REASONS.map((reason) => gateOf.get(round)?.[reason] ?? 0),
    ]),
  };
}

/** Plots the funnel over rounds, each step as a share of the previous one. */
export async function funnelRoundsPlot(run: RunFigures): Promise<Plot | null> {
  const rounds = funnel(run);
  // A single round gives no line; the funnel shows its numbers.
  if (rounds.length < 2) return null;
  const values = rounds.flatMap(({ round, left }) =>
    [
      { line: 'attempted', part: left.attempted, of: left['texts made'] },
      { line: 'proved', part: left.proved, of: left.attempted },
      { line: 'in band', part: left['in band'], of: left.proved },
    ].flatMap(({ line, part, of }) => (of === 0 ? [] : [{ round, line, share: part / of }])),
  );
  return {
    name: 'conjecture-shares',
    title: 'Yield of conjecturing',
    caption:
      'Shares: attempted of the texts, proved of the attempted, in the band of the proved. A conjecturer that learns keeps all three up.',
    svg: await renderChart(
      {
        data: { values },
        mark: { type: 'line', strokeWidth: 2, point: { size: 40 } },
        encoding: {
          x: roundAxis(rounds.map(({ round }) => round)),
          y: {
            field: 'share',
            type: 'quantitative',
            title: null,
            axis: { format: '~%', tickCount: 5 },
            scale: { domain: [0, 1] },
          },
          color: { field: 'line', type: 'nominal', sort: null, title: null, legend: { columns: 3 } },
        },
      },
      'Shares of conjectures attempted, proved and in band, over rounds',
    ),
    columns: ['round', 'share_of', 'share'],
    rows: values.map(({ round, line, share: value }) => [round, line, value]),
  };
}

/** Returns an axis of rounds as numbers with integer ticks, so that fifty rounds do not crowd it. */
export function roundAxis(rounds: readonly number[]) {
  const [first, last] = [Math.min(...rounds), Math.max(...rounds)];
  return {
    field: 'round',
    type: 'quantitative',
    title: 'round',
    scale: { domain: [first - 0.5, last + 0.5], nice: false, zero: false },
    axis: { tickMinStep: 1, tickCount: Math.min(10, last - first + 1), format: 'd', grid: false },
  };
}
