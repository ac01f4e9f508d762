/**
 * Runs the portfolio of scripts on the repository's problem sets and writes `data/portfolio.jsonl`, so that no run has
 * to search again; prints how many statements it proves. An interrupted search continues: the cache keeps its results.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolveConfig } from '@stp/config';
import type { Statement } from '@stp/config/records';
import { PROBLEM_SET_NAMES } from '@stp/datasets/testing';
import { keepRows, PORTFOLIO_VERSION, type RecordRow, readRecord } from '@stp/lean-explore';
import { portfolioRows } from '../../activities/provers/scripts/portfolio.ts';
import { assemblePorts } from '../../workers/assemble.ts';
import { leanEnvironment } from '../../workers/lean-environment.ts';
import { workerSettings } from '../../workers/settings.ts';
import { PORTFOLIO_RECORD } from '../../workers/sources.ts';

/** Returns a table of the proved statements. */
export async function recordPortfolio(say: (line: string) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stp-portfolio-'));
  const settings = { ...workerSettings(), storeUri: pathToFileURL(folder).href };
  const environment = await leanEnvironment(settings, say);
  const ports = await assemblePorts(settings, environment);
  try {
    // Adds to a record of this list and this Lean; a record of another one is not reused.
    const before = await readRecord(PORTFOLIO_RECORD);
    const portfolioRecord = async () => (before?.head.fingerprint === environment.fingerprint ? before : null);
    const asking = { ...ports, sources: { ...ports.sources, portfolioRecord } };
    const { verification: limits } = resolveConfig({ preset: 'embedded', set: {}, flags: {} });
    const lines: string[] = [];
    const kept: RecordRow[] = [];
    for (const set of PROBLEM_SET_NAMES) {
      const statements = await Array.fromAsync(ports.sources.problemSet(set));
      const report = (progress: unknown): void => say(`${set}: ${JSON.stringify(progress)}`);
      const { signal } = new AbortController();
      const asked = { run: 'portfolio', limits, triesUnknown: true, signal, report };
      const { rows } = await portfolioRows(asking, statements, asked);
      lines.push(tableRow(set, statements, rows));
      kept.push(...statements.map(({ id }) => rows.get(id)!));
    }
    const { version: leanVersion, fingerprint } = environment;
    await rm(PORTFOLIO_RECORD, { force: true });
    await keepRows(PORTFOLIO_RECORD, { portfolio: PORTFOLIO_VERSION, leanVersion, fingerprint }, kept);
    return ['| set | proved | training part | seconds of Lean |', '|---|---|---|---|', ...lines].join('\n');
  } finally {
    await ports.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function tableRow(set: string, statements: readonly Statement[], rows: ReadonlyMap<string, RecordRow>): string {
  const proved = (some: readonly Statement[]): string =>
    `${some.filter(({ id }) => rows.get(id)?.proof !== null).length} of ${some.length}`;
  const train = statements.filter(({ split }) => split === 'train');
  const leanMs = statements.reduce((sum, { id }) => sum + (rows.get(id)?.leanMs ?? 0), 0);
  return `| ${set} | ${proved(statements)} | ${proved(train)} | ${Math.round(leanMs / 1_000)} |`;
}
