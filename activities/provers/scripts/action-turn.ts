/** Tries composed actions on a shard (`prover.actions`). Returns the proofs found and the record of all tries. */
import { marksLemmas } from '@stp/config';
import type { ArtifactRef, ObjectStore } from '@stp/config/records';
import type { WorkItem } from '@stp/selfplay';
import { type LemmaSources, lemmaOffers } from '../../lemma-shelf.ts';
import type { DataSources, RunVerifier, StatementContexts } from '../../ports.ts';
import { writeRecords } from '../../records/record-files.ts';
import { type GrownRecord, marksFor } from '../../round/library.ts';
import type { ScriptShardInput } from './script-shard.ts';
import { readRanking } from './tries.ts';
import { type TriedActions, tryActions } from './try-actions.ts';

export interface ActionTurn extends Pick<TriedActions, 'proofs' | 'tried' | 'leanMs'> {
  /** Record file of `triedStatementSchema`. */
  readonly tries: ArtifactRef;
  /** Figures for the report (`actionFigures`). */
  readonly figures: Record<string, number>;
}

export async function actionTurn(
  ports: RunVerifier<'check'> & StatementContexts & DataSources<keyof LemmaSources>,
  store: ObjectStore,
  { run, name, config, ranking: ref = null }: ScriptShardInput,
  items: readonly WorkItem[],
  over: {
    readonly grown: readonly GrownRecord[];
    readonly signal: AbortSignal;
    readonly report: (told: unknown) => void;
  },
): Promise<ActionTurn> {
  const { prover, verification: limits } = config;
  if (!('actions' in prover)) throw new Error('the prover has no actions');
  const statements = items.map(({ statement }) => statement);
  const ranking = await readRanking(store, ref, new Set(statements.map(({ id }) => id)));
  const { premisesTried: lemmasShown, premisesFrom } = prover;
  const offersFor = await lemmaOffers(ports.sources, { lemmasShown, lemmaTokens: 0, premisesFrom }, over.grown);
  const marksOf = marksLemmas(prover) ? marksFor(over.grown) : () => null;
  const found = await tryActions(ports, statements, {
    run,
    limits,
    ranking,
    offersFor,
    marksOf,
    ...over,
    budgetMs: prover.actionMs,
  });
  return {
    proofs: found.proofs,
    tried: found.tried,
    leanMs: found.leanMs,
    tries: await writeRecords(store, `${name}/scripts/tries-*.jsonl`, found.records, over.signal),
    figures: {
      actionStatements: statements.length,
      actionsTried: found.tried,
      actionsProving: found.proofs.size,
      actionsMs: found.leanMs,
      actionPriceMs: found.priceMs,
      ...(ranking.ranker === null ? {} : { actionsRanked: found.tried }),
    },
  };
}
