/** Draws the comparison as one picture: statements proved so far over Lean's time, with a line for each method. */
import { CATEGORIES, COLOURS, renderChart } from '../../activities/report/chart.ts';
import { COLOUR_RULES } from '../../activities/report/style.ts';
import { curveOf, lineOf, type MethodResult } from './curves.ts';

/** A share of the statements that is proved without a model, drawn as a horizontal line. */
export interface Level {
  readonly label: string;
  readonly share: number;
}

/** Returns an SVG. Lines are means over seeds; bands reach from the least to the greatest value. */
export async function comparisonFigure(results: readonly MethodResult[], levels: readonly Level[]): Promise<string> {
  const order = [...results.map(({ method }) => method), ...levels.map(({ label }) => label)];
  const lines = results.flatMap(({ method, runs }) =>
    lineOf(runs.map((run) => curveOf(run, 'leanSeconds'))).map(({ cost, rate: { mean, min, max } }) => ({
      method,
      seconds: cost,
      mean,
      min,
      max,
    })),
  );
  // The axis begins just below the least level and first rate, since the methods differ above these.
  const least = Math.min(
    ...levels.map(({ share }) => share),
    ...results.flatMap(({ runs }) => runs.map((run) => curveOf(run, 'leanSeconds')[1]?.rate ?? 0)),
  );
  const domainMin = Math.max(0, Math.floor(10 * least - 0.5) / 10);
  const x = { field: 'seconds', type: 'quantitative', title: 'time of Lean, s', scale: { nice: false } };
  const y = (field: string) => ({
    field,
    type: 'quantitative',
    title: 'statements proved so far',
    axis: { format: '~%', tickCount: 6 },
    scale: { domainMin, nice: true },
  });
  const color = {
    field: 'method',
    type: 'nominal',
    title: null,
    sort: order,
    legend: { columns: 1, symbolOpacity: 1, symbolType: 'stroke' },
    scale: { domain: order, range: CATEGORIES },
  };
  const layer = [
    {
      data: { values: lines },
      mark: { type: 'area', opacity: 0.18, clip: true },
      encoding: { x, y: y('min'), y2: { field: 'max' }, color },
    },
    {
      data: { values: lines },
      mark: { type: 'line', strokeWidth: 2, clip: true },
      encoding: { x, y: y('mean'), color },
    },
    {
      data: { values: levels.map(({ label, share }) => ({ method: label, mean: share })) },
      mark: { type: 'rule', strokeDash: [5, 4], strokeWidth: 1.5, color: COLOURS.muted },
      encoding: { y: y('mean'), color },
    },
  ];
  const svg = await renderChart(
    { layer, width: 560, height: 300 },
    'Statements proved over the time of Lean, by method',
  );
  const style = `<style>${COLOUR_RULES} svg { background: var(--page) }</style>`;
  return svg
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ')
    .replace(/<svg [^>]*>/, (opening) => `${opening}${style}`);
}
