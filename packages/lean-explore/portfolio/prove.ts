/**
 * Runs the portfolio: tries the scripts of every statement, stage by stage, until one proves it. The verifier checks
 * each proof like any other. The number of scripts (`scripts.ts`) bounds the work for a statement, and each script has
 * the verifier's limits of time and heartbeats.
 */

import type { Candidate, CheckResult } from '@stp/lean-verifier';
import type { ContextAnswer, StatementContext } from '../context/statement-context.ts';
import type { SearchScript } from '../library/search/script-text.ts';
import { type PortfolioStages, portfolioStages } from './scripts.ts';

/** Number of statements whose scripts are in memory at once. */
const STATEMENTS_AT_ONCE = 100;

export interface PortfolioStatement {
  readonly id: string;
  readonly header: string | null;
  readonly statement: string;
}

export interface PortfolioOutcome {
  /** The first script that proves the statement, as `textOf` writes it; null if none does. */
  readonly proof: string | null;
  /** Number of scripts that Lean tried. */
  readonly tried: number;
  /** Time that Lean spent on them, ms. */
  readonly leanMs: number;
  /** Why there was no context and therefore no script; otherwise empty. */
  readonly unread: string;
}

export interface PortfolioTools {
  /** Selects the scripts to try for a statement. Missing: all of them. */
  chosen?(id: string, stages: PortfolioStages): PortfolioStages;
  /** Further scripts for a statement, tried last. */
  further?(statement: PortfolioStatement, context: StatementContext): readonly SearchScript[];
  /** Returns the text of a script in a proof of the statement. Missing: the script itself. */
  textOf?(id: string, script: string): string;
  contexts(statements: readonly PortfolioStatement[]): Promise<readonly ContextAnswer[]>;
  check(candidates: readonly Candidate[]): Promise<readonly CheckResult[]>;
  onProgress?(done: number): void;
}

interface Open {
  readonly index: number;
  readonly stages: PortfolioStages;
  tried: number;
  leanMs: number;
}

/** Returns one outcome per statement, in order. */
export async function provePortfolio(
  statements: readonly PortfolioStatement[],
  tools: PortfolioTools,
): Promise<readonly PortfolioOutcome[]> {
  const outcomes: PortfolioOutcome[] = [];
  for (let from = 0; from < statements.length; from += STATEMENTS_AT_ONCE) {
    outcomes.push(...(await proveSome(statements.slice(from, from + STATEMENTS_AT_ONCE), tools)));
    tools.onProgress?.(outcomes.length);
  }
  return outcomes;
}

async function proveSome(
  statements: readonly PortfolioStatement[],
  tools: PortfolioTools,
): Promise<readonly PortfolioOutcome[]> {
  const outcomes = new Array<PortfolioOutcome>(statements.length);
  const textOf = ({ index }: Open, { proof }: SearchScript): string =>
    tools.textOf?.(statements[index]!.id, proof) ?? proof;
  let open: Open[] = [];
  for (const [index, { context, reason }] of (await tools.contexts(statements)).entries()) {
    if (context === null) outcomes[index] = { proof: null, tried: 0, leanMs: 0, unread: reason };
    else {
      const all = portfolioStages(context);
      const statement = statements[index]!;
      const chosen = tools.chosen?.(statement.id, all) ?? all;
      const further = tools.further?.(statement, context) ?? [];
      open.push({ index, stages: further.length === 0 ? chosen : [...chosen, further], tried: 0, leanMs: 0 });
    }
  }
  for (let stage = 0; open.length > 0; stage++) {
    const attempts = open.flatMap((one) => (one.stages[stage] ?? []).map((script, at) => ({ one, script, at })));
    const results = await tools.check(
      attempts.map(({ one, script, at }) => {
        const { id, header, statement } = statements[one.index]!;
        return { id: `${id} ${stage} ${at}`, header, statement, proof: textOf(one, script) };
      }),
    );
    const proofs = new Map<number, string>();
    for (const [at, { one, script }] of attempts.entries()) {
      const { kind, checkMs } = results[at]!;
      one.tried += 1;
      one.leanMs += checkMs;
      if (kind === 'proved' && !proofs.has(one.index)) proofs.set(one.index, textOf(one, script));
    }
    open = open.filter((one) => {
      const { index, tried, leanMs, stages } = one;
      const proof = proofs.get(index) ?? null;
      const goesOn = proof === null && stage + 1 < stages.length;
      if (!goesOn) outcomes[index] = { proof, tried, leanMs, unread: '' };
      return goesOn;
    });
  }
  return outcomes;
}
