/** Small histograms of the pass rates of each round's statements, one above the other. */
import { COLOURS, renderChart, WIDTH } from '../chart.ts';
import { RATE_BINS } from '../distribution.ts';
import type { RunFigures } from '../figures.ts';
import { formatNumber } from '../html.ts';
import type { Plot } from '../plot.ts';

/** Most rounds with a histogram. If there are more, evenly spaced ones are shown, with the first and the last. */
const HISTOGRAMS_MAX = 8;

const evenly = <T>(items: readonly T[], max: number): T[] =>
  items.length <= max
    ? [...items]
    : Array.from({ length: max }, (_, index) => items[Math.round((index * (items.length - 1)) / (max - 1))]!);

/**
 * Makes one histogram of pass rates for each round. The number of statements never proved is given in words, because
 * its bar would hide the others.
 */
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
    caption: `Share of a statement's samples that Lean accepts, for statements with a proof. Above each row: how many these are, of those attempted. Each row has its own scale.${
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
