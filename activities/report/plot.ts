/** A plot with the table of its data. */
import { type Cell, csv } from './csv.ts';
import { escapeHtml } from './html.ts';

export interface Plot {
  /** Name of the CSV file: `progress` for `report/progress.csv`. */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly svg: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export const plotCsvName = (plot: Plot): string => `report/${plot.name}.csv`;
export const plotCsv = (plot: Plot): string => csv(plot.columns, plot.rows);

export function figure(plot: Plot): string {
  return [
    `<figure><h3>${escapeHtml(plot.title)}</h3>${plot.svg}`,
    `<figcaption>${escapeHtml(plot.caption)} <a href="${plotCsvName(plot)}">Numbers (CSV)</a></figcaption></figure>`,
  ].join('');
}

export const figures = (plots: readonly (Plot | null)[]): string => {
  const drawn = plots.filter((plot) => plot !== null);
  return drawn.length === 0 ? '' : `<div class="plots">\n${drawn.map(figure).join('\n')}\n</div>`;
};
