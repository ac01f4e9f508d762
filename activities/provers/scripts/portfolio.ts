/**
 * Runs the portfolio of scripts (`packages/lean-explore/portfolio/`), the baseline for a model, on a run's statements.
 * Known results are not searched for again: Lean checks a known proof, and a known failure is trusted.
 */

import { type ObjectStore, type PortfolioFigures, portfolioFiguresSchema, type Statement } from '@stp/config/records';
import { provePortfolio, type RecordRow, rowOf } from '@stp/lean-explore';
import type { DataSources, PortfolioResults, RunVerifier, StatementContexts, VerificationLimits } from '../../ports.ts';
import { readJson } from '../../records/record-files.ts';
import { marksFor } from '../../round/library.ts';
import { type OverLibrary, scriptsOverLibrary } from './scripts-over-library.ts';

/** Number of new results after which they are stored. */
const KEPT_AT_ONCE = 24;
export const FIGURES = 'portfolio.json';
/** Stands in the field for a model's hash if a script wrote the proof. */
export const SCRIPTS_MODEL = 'scripts';

/** Proofs found by the list of scripts. */
export interface Listed {
  /** The first script that proves it, by statement id. */
  readonly texts: ReadonlyMap<string, string>;
  /** Number of scripts tried, and Lean's time for them in ms; both include known results. */
  readonly tried: number;
  readonly leanMs: number;
}

/**
 * Tries the whole list on statements. Statements that no script proves are tried again with the marks of grown theorems
 * (`marksFor`), and with premises if the prover has them (`further`).
 */
export async function wholeList(
  ports: RunVerifier<'check' | 'environment'> & StatementContexts & PortfolioResults & DataSources<'portfolioRecord'>,
  statements: readonly Statement[],
  { grown, further, ...asked }: Omit<PortfolioAsked, 'triesUnknown'> & Pick<OverLibrary, 'grown' | 'further'>,
): Promise<Listed> {
  const { rows } = await portfolioRows(ports, statements, { ...asked, triesUnknown: true });
  const marksOf = marksFor(grown);
  const unproved = statements.filter(({ id }) => (rows.get(id)?.proof ?? null) === null);
  const byId = new Map(statements.map((one) => [one.id, one]));
  const open = unproved.filter((one) => further !== undefined || marksOf(one) !== null);
  const { proofs, tried, leanMs } = await scriptsOverLibrary(ports, open, {
    ...asked,
    grown,
    marksOf,
    further,
    // Without marks the list was tried already.
    chosen: (id, stages) => (marksOf(byId.get(id)!) === null ? [] : stages),
  });
  return {
    texts: new Map([...provedBy(rows), ...proofs]),
    tried: tried + [...rows.values()].reduce((sum, row) => sum + row.tried, 0),
    leanMs: leanMs + [...rows.values()].reduce((sum, row) => sum + row.leanMs, 0),
  };
}

/** Reads the portfolio's figures; null if the run has none. */
export async function portfolioFigures(store: ObjectStore): Promise<PortfolioFigures | null> {
  const ref = await store.stat(FIGURES);
  return ref === null ? null : readJson(store, ref, portfolioFiguresSchema);
}

export interface PortfolioAsked {
  readonly run: string;
  readonly limits: VerificationLimits;
  /** Try the statements without a known result. */
  readonly triesUnknown: boolean;
  readonly signal: AbortSignal;
  readonly report: (progress: unknown) => void;
}

export interface PortfolioRows {
  /** Rows by statement id; statements without a known result are missing. */
  readonly rows: ReadonlyMap<string, RecordRow>;
  /** As `PortfolioFigures.recordedWith`. */
  readonly recordedWith: string | null;
}

/** Returns the proved statements of the rows with their proofs. */
export const provedBy = (rows: PortfolioRows['rows']): [id: string, proof: string][] =>
  [...rows].flatMap(([id, { proof }]): [string, string][] => (proof === null ? [] : [[id, proof]]));

export async function portfolioRows(
  ports: RunVerifier<'check' | 'environment'> & StatementContexts & PortfolioResults & DataSources<'portfolioRecord'>,
  statements: readonly Statement[],
  { run, limits, triesUnknown, signal, report }: PortfolioAsked,
): Promise<PortfolioRows> {
  if (statements.length === 0) return { rows: new Map(), recordedWith: null };
  // Uses the list's own limit of heartbeats, so that a run's limit for samples does not change what scripts prove.
  const own = { ...limits, heartbeatsMax: null };
  const verifier = await ports.verifier(run, own);
  const kept = await ports.portfolioKept(own);
  const record = await ports.sources.portfolioRecord();
  const rows = new Map<string, RecordRow>();
  for (const { id } of statements) {
    const known = kept.rows.get(id) ?? record?.rows.get(id);
    if (known !== undefined) rows.set(id, known);
  }
  const isForeign = record !== null && record.head.fingerprint !== verifier.environment.fingerprint;
  const isRecorded = (id: string): boolean => !kept.rows.has(id) && rows.get(id)?.proof === null;
  const recordedWith = isForeign && statements.some(({ id }) => isRecorded(id)) ? record.head.leanVersion : null;
  const hinted = statements.flatMap(({ id, header, statement }) => {
    const proof = rows.get(id)?.proof ?? null;
    return proof === null ? [] : [{ id, header, statement, proof }];
  });
  report({ portfolio: 'checking the proofs that are known', statements: hinted.length });
  // Lean's messages suffice: no model wrote these texts, and a proof that becomes a sample is judged as one.
  const checked = await verifier.check(hinted, { signal, confirm: false, explains: () => false });
  for (const { id, kind } of checked) if (kind !== 'proved') rows.delete(id);
  const unknown = triesUnknown ? statements.filter(({ id }) => !rows.has(id)) : [];
  for (let from = 0; from < unknown.length; from += KEPT_AT_ONCE) {
    report({ portfolio: 'trying scripts', statements: unknown.length, done: from });
    const some = unknown.slice(from, from + KEPT_AT_ONCE);
    const outcomes = await provePortfolio(some, {
      contexts: (its) => ports.contexts(run, its, limits, signal),
      check: (candidates) => verifier.check(candidates, { signal, explains: () => false }),
    });
    const found = some.map(({ id }, index) => rowOf(id, outcomes[index]!));
    for (const row of found) rows.set(row.id, row);
    await kept.add(found);
  }
  return { rows, recordedWith };
}
