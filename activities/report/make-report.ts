/** Makes the report of one run, or of several side by side: the page, and the CSV file of each plot. */

import { csv } from './csv.ts';
import type { RunFigures } from './figures.ts';
import { libraryTable, MODULES_CSV } from './library-progress.ts';
import { reportPage } from './page.ts';
import { type Plot, plotCsv, plotCsvName } from './plot.ts';
import { funnelPlot, funnelRoundsPlot } from './plots/conjectures.ts';
import { passAtKPlot, progressPlot } from './plots/proved.ts';
import { ratesPlot } from './plots/rates.ts';
import { stagesPlot, verdictsPlot } from './plots/stacks.ts';
import { libraryPlot, lossPlot } from './plots/training.ts';

export interface ReportFile {
  /** `report.html` or `report/NAME.csv`. */
  readonly name: string;
  readonly text: string;
}

/**
 * @param runs the run that the report is about, then the runs for comparison
 * @returns the page first, then the CSV files, by whose names the page refers to them
 */
export async function makeReport(runs: readonly [RunFigures, ...RunFigures[]]): Promise<ReportFile[]> {
  const [run] = runs;
  const plots = {
    proved: [await progressPlot(runs), await passAtKPlot(runs)],
    conjectures: [await funnelPlot(run), await funnelRoundsPlot(run)],
    rates: [await ratesPlot(run, 'dataset'), await ratesPlot(run, 'conjecture')],
    costs: [await verdictsPlot(run), await stagesPlot(run), await lossPlot(run)],
    library: await libraryPlot(runs),
  };
  const drawn = Object.values(plots)
    .flat()
    .filter((plot): plot is Plot => plot !== null);
  const { columns, rows } = libraryTable(run.library);
  return [
    { name: 'report.html', text: reportPage(runs, plots) },
    ...(run.library.sets.length === 0 ? [] : [{ name: MODULES_CSV, text: csv(columns, rows) }]),
    ...drawn.map((plot) => ({ name: plotCsvName(plot), text: plotCsv(plot) })),
  ];
}
