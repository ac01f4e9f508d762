/**
 * The prover `scripts`. After another prover it tries a part of the list on the statements that the shard's samples did
 * not prove; each proof found is an additional sample. As the only prover it tries the whole list and gives one answer
 * for each statement.
 */

import { marksLemmas, type RunConfig, triesActions } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type Sample,
  type ShardResult,
  type Statement,
  sampleSchema,
  shardResultSchema,
} from '@stp/config/records';
import { type PortfolioStages, premiseScripts, type SearchScript } from '@stp/lean-explore';
import { dedupeSamples, type WorkItem } from '@stp/selfplay';
import type { z } from 'zod';
import { withHeartbeat } from '../../edge.ts';
import { type LemmaSources, lemmaOffers } from '../../lemma-shelf.ts';
import { logMetrics, metricsAt } from '../../metrics.ts';
import type {
  DataSources,
  PortfolioResults,
  RunMonitor,
  RunStore,
  RunVerifier,
  StatementContexts,
} from '../../ports.ts';
import { once, readAll, writeRecords } from '../../records/record-files.ts';
import { type GrownRecord, grownLibrary, marksFor } from '../../round/library.ts';
import { unprovedItems } from '../../round/shard-files.ts';
import { sampledSchema } from '../shard-turn.ts';
import { actionTurn } from './action-turn.ts';
import { type Listed, portfolioRows, provedBy, SCRIPTS_MODEL, wholeList } from './portfolio.ts';
import { type OverLibrary, scriptsOverLibrary } from './scripts-over-library.ts';

/**
 * Stages tried on statements: the definitions, also for each part of a conjunction; induction, also with case splits,
 * functional induction, and case splits in the step. Some 9 scripts for each statement. Other plain scripts repeat what
 * samples try, and later stages cost more than they prove.
 */
const STAGES = { from: 0, to: 5 } as const;
/** Stages tried on conjectures: the marks prove at once what few other scripts do. */
const CONJECTURE_STAGES = { from: 1, to: 4 } as const;

/**
 * Returns whether a script is tried: among scripts that differ only in the last tactic, the one that ends in `grind`.
 */
const isTried = ({ script }: SearchScript): boolean => script.endsWith(', grind');

/** From this round on the rest of the list is tried too, on statements, one of `REST_PARTS` parts in each round. */
const REST_FROM_ROUND = 3;
const REST_PARTS = 4;

export interface ScriptShardInput {
  readonly run: string;
  /** Folder of the shard. The scripts' objects are in its subfolder `scripts`. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** The shard with the verdicts on another prover's samples; null: there is no other prover. */
  readonly earlier: ShardResult | null;
  /** Grown theorems; null: none. */
  readonly library: ArtifactRef | null;
  /** Missing: the statements do not belong to a round. */
  readonly round?: number | undefined;
  /**
   * With `prover.actions`: the ranking from the run's earlier tries (`rankingSchema`). Missing or null: there is none.
   */
  readonly ranking?: ArtifactRef | null | undefined;
  readonly config: Pick<RunConfig, 'prover' | 'verification'>;
}

const scriptedSchema = sampledSchema.extend({
  tries: artifactRefSchema.optional(),
  figures: shardResultSchema.shape.figures,
});
export type Scripted = z.infer<typeof scriptedSchema>;

export function scriptShardActivity(
  ports: RunStore &
    RunVerifier<'check' | 'environment'> &
    StatementContexts &
    PortfolioResults &
    RunMonitor &
    DataSources<'portfolioRecord' | keyof LemmaSources>,
) {
  return {
    /**
     * Returns the shard's samples and one sample for each statement that a script proves; null if none is proved. Under
     * a header without grown theorems the portfolio's record is consulted, and only statements unknown to it are tried.
     */
    async scriptShard(input: ScriptShardInput): Promise<Scripted | null> {
      const { run, earlier, config } = input;
      const store = await ports.store(run);
      const name = `${input.name}/scripts`;
      return once(store, `${name}/sampled.json`, scriptedSchema.nullable(), () =>
        withHeartbeat(async (signal, report) => {
          const grown = await grownLibrary(store, input.library);
          const isActions = triesActions(config.prover);
          // With actions the list is tried only on conjectures and on statements that are proved already.
          const further = isActions ? undefined : await premiseTries(ports.sources, config.prover, grown);
          const over: Over = { grown, further, signal, report };
          const samples = earlier === null ? [] : await readAll(store, earlier.samples, sampleSchema);
          const proved = new Set(grown.map(({ statementId }) => statementId));
          // Canaries are not tried, nor statements that are proved and attempted again: a script would say nothing
          // about the model.
          const items = (await unprovedItems(store, { items: input.items, earlier }, samples)).filter(
            ({ statement, origin }) => origin !== 'canary' && (earlier === null || !proved.has(statement.id)),
          );
          const takesActions = ({ statement, origin }: WorkItem): boolean =>
            isActions && origin !== 'conjecture' && !proved.has(statement.id);
          const ofActions = items.filter(takesActions);
          const listed = items.filter((item) => !takesActions(item));
          const byList =
            earlier === null
              ? await wholeList(
                  ports,
                  listed.map(({ statement }) => statement),
                  { run, limits: config.verification, ...over },
                )
              : await partOfList(ports, input, listed, over);
          const acted = isActions ? await actionTurn(ports, store, input, ofActions, over) : null;
          const found = items.flatMap(({ statement: { id } }) => {
            const text = byList.texts.get(id) ?? acted?.proofs.get(id);
            const sample = { ...UNSAMPLED, statementId: id, index: nextIndex(samples, id), text: text ?? '' };
            if (text !== undefined) return [sample];
            return earlier === null ? [{ ...sample, refused: NO_SCRIPT }] : [];
          });
          await logMetrics(
            ports,
            run,
            metricsAt(name, 0, {
              scripts_statements: items.length,
              scripts_proved: byList.texts.size + (acted?.proofs.size ?? 0),
              scripts_tried: byList.tried + (acted?.tried ?? 0),
              scripts_lean_seconds: (byList.leanMs + (acted?.leanMs ?? 0)) / 1_000,
            }),
          );
          if (found.length === 0 && acted === null) return null;
          const all = dedupeSamples(found, SCRIPTS_MODEL, samples);
          return {
            samples: await writeRecords(store, `${name}/samples-*.jsonl`, all, signal),
            sampleCount: (earlier?.sampleCount ?? 0) + found.length,
            distinctCount: all.length,
            tokens: earlier?.tokens ?? 0,
            ...(earlier?.promptTokens === undefined ? {} : { promptTokens: earlier.promptTokens }),
            ...(acted === null ? {} : { tries: acted.tries, figures: acted.figures }),
          };
        }),
      );
    },
  };
}

type Over = Pick<OverLibrary, 'grown' | 'further' | 'signal' | 'report'>;
type ListPorts = RunVerifier<'check' | 'environment'> &
  StatementContexts &
  PortfolioResults &
  DataSources<'portfolioRecord'>;

/** Tries a part of the list, after the samples of another prover. */
async function partOfList(
  ports: ListPorts,
  { run, config, round = 0 }: ScriptShardInput,
  items: readonly WorkItem[],
  over: Over,
): Promise<Listed> {
  const { grown, further, signal, report } = over;
  const open = items.map(({ statement }) => statement);
  const conjectures = new Set(items.flatMap((one) => (one.origin === 'conjecture' ? [one.statement.id] : [])));
  const marksOf = marksLemmas(config.prover) ? marksFor(grown) : () => null;
  const asked = { run, limits: config.verification, triesUnknown: false, signal, report };
  const unhelped = open.filter((one) => marksOf(one) === null);
  const { rows } = await portfolioRows(ports, unhelped, asked);
  const isFurther = ({ id }: Statement): boolean => further !== undefined && !conjectures.has(id);
  const { proofs, tried, leanMs } = await scriptsOverLibrary(
    ports,
    open.filter((one) => !rows.has(one.id) || (rows.get(one.id)!.proof === null && isFurther(one))),
    {
      run,
      limits: config.verification,
      grown,
      marksOf,
      // All stages run together: few statements are proved, and each stage would start Lean anew for every header.
      chosen: (id, stages) => {
        if (rows.has(id)) return [];
        if (conjectures.has(id)) return [firstOf(stages, CONJECTURE_STAGES)];
        return [scriptsFor(stages, round)];
      },
      ...(further && {
        further: (asked, context) => (conjectures.has(asked.id) ? [] : further(asked, context)),
      }),
      signal,
      report,
    },
  );
  return { texts: new Map([...proofs, ...provedBy(rows)]), tried, leanMs };
}

/** Returns the scripts that name a statement's premises (`prover.premisesTried`); undefined: none do. */
async function premiseTries(
  sources: LemmaSources,
  prover: RunConfig['prover'],
  grown: readonly GrownRecord[],
): Promise<OverLibrary['further']> {
  if (prover.mode === 'judged' || prover.premisesTried === 0) return undefined;
  const { premisesTried, premisesFrom } = prover;
  const offersFor = await lemmaOffers(sources, { lemmasShown: premisesTried, lemmaTokens: 0, premisesFrom }, grown);
  return (statement, context) => {
    const { lemmas } = offersFor(statement).offer();
    return premiseScripts(
      context,
      lemmas.map(({ written }) => written),
    );
  };
}

/** Returns the scripts of the stages from `from` to before `to` that are tried. */
const firstOf = (stages: PortfolioStages, { from, to }: typeof STAGES | typeof CONJECTURE_STAGES): SearchScript[] =>
  stages.slice(from, to).flat().filter(isTried);

function scriptsFor(stages: PortfolioStages, round: number): SearchScript[] {
  const first = firstOf(stages, STAGES);
  if (round < REST_FROM_ROUND) return first;
  const rest = stages.flat().filter((script) => !first.includes(script));
  return [...first, ...rest.filter((_, index) => index % REST_PARTS === round % REST_PARTS)];
}

/** As the only prover, scripts give every statement an answer. */
const NO_SCRIPT = { reason: 'no-script', detail: 'no script proves it' } as const;
const UNSAMPLED = { tokens: 0, logprob: 0, seed: 0, finish: 'stop' } as const;

function nextIndex(samples: readonly Sample[], id: string): number {
  return Math.max(-1, ...samples.flatMap(({ statementId, indices }) => (statementId === id ? indices : []))) + 1;
}
