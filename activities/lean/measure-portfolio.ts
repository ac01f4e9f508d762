/** Measures how many of a run's statements the portfolio of scripts proves. */

import type { RunConfig } from '@stp/config';
import { type PortfolioPart, portfolioFiguresSchema, type Statement, statementSchema } from '@stp/config/records';
import type { RecordRow } from '@stp/lean-explore';
import { withHeartbeat } from '../edge.ts';
import type { DataSources, PortfolioResults, RunStore, RunVerifier, StatementContexts } from '../ports.ts';
import { FIGURES, portfolioRows } from '../provers/scripts/portfolio.ts';
import { once, readAll } from '../records/record-files.ts';
import type { PreparedData } from '../run/prepared-data.ts';

export interface MeasurePortfolioInput {
  readonly run: string;
  readonly config: Pick<RunConfig, 'verification'>;
  readonly data: Pick<PreparedData, 'train' | 'heldOut'>;
}

export function measurePortfolioActivity(
  ports: RunStore &
    RunVerifier<'check' | 'environment'> &
    StatementContexts &
    PortfolioResults &
    DataSources<'portfolioRecord'>,
) {
  return {
    /**
     * Writes the figures into the run's folder, where the report reads them. A run tries no statement that is missing
     * from the record, because each costs some seconds of Lean. `bin/stp eval --prover scripts` tries them, once for
     * all runs.
     */
    async measurePortfolio({ run, config, data }: MeasurePortfolioInput): Promise<void> {
      const store = await ports.store(run);
      await once(store, FIGURES, portfolioFiguresSchema, () =>
        withHeartbeat(async (signal, report) => {
          const train = await readAll(store, data.train, statementSchema);
          const heldOut = await readAll(store, data.heldOut, statementSchema);
          const asked = { run, limits: config.verification, triesUnknown: false, signal, report };
          const { rows, recordedWith } = await portfolioRows(ports, [...train, ...heldOut], asked);
          const parts = { ...partOf(train, rows), heldOut: partOf(heldOut, rows) };
          return { ...parts, recordedWith };
        }),
      );
    },
  };
}

function partOf(statements: readonly Statement[], rows: ReadonlyMap<string, RecordRow>): PortfolioPart {
  const proved = (some: readonly Statement[]): number =>
    some.filter(({ id }) => (rows.get(id)?.proof ?? null) !== null).length;
  const bySet = Map.groupBy(statements, ({ labels }) => labels[0] ?? 'no set');
  return {
    proved: proved(statements),
    statements: statements.length,
    untried: statements.filter(({ id }) => !rows.has(id)).length,
    bySet: Object.fromEntries([...bySet].map(([set, its]) => [set, { proved: proved(its), statements: its.length }])),
  };
}
