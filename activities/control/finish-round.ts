/** Ends a round before its training: writes its training set, its counts, and the manifest that marks it as done. */

import { provesByScripts, trainsByReward } from '@stp/config';
import {
  type ArtifactRef,
  artifactRefSchema,
  type GateCounts,
  type ObjectStore,
  provedSchema,
  type RankerFigures,
  type RoundCounts,
  type RoundManifest,
  rateSchema,
  roundCountsSchema,
  type ShardResult,
  sumTokens,
  sumVerdicts,
} from '@stp/config/records';
import { z } from 'zod';
import { withHeartbeat } from '../edge.ts';
import type { LemmaSources } from '../lemma-shelf.ts';
import { objectiveExamples } from '../objectives/index.ts';
import { rewardedRounds } from '../objectives/rewarded-rounds.ts';
import type { DataSources, RunScratch, RunStore } from '../ports.ts';
import { proofExamples } from '../prover-forms.ts';
import { SCRIPTS_MODEL } from '../provers/scripts/portfolio.ts';
import { once, readRecords, writeRecords } from '../records/record-files.ts';
import { conjectureFiles } from '../round/chosen-conjectures.ts';
import { grownTheorems } from '../round/library.ts';
import type { RoundContext } from '../round/round-context.ts';
import { conjecturerExamples, roundExamples } from '../round/round-examples.ts';
import { judgesSpent } from '../round/shard-rewards.ts';
import { readManifests, replayWindow } from '../run/history.ts';

const finishedSchema = z.strictObject({
  manifest: artifactRefSchema,
  counts: roundCountsSchema,
  examples: artifactRefSchema.nullable(),
});
export type Finished = z.infer<typeof finishedSchema>;

export interface FinishRoundInput extends RoundContext {
  readonly modelIn: string;
  readonly shards: readonly ShardResult[];
  readonly conjectures: ArtifactRef | null;
  readonly conjecturesMade: number;
  readonly gate: GateCounts;
  readonly ranker?: RankerFigures;
  readonly rates: ArtifactRef;
  /** Proofs of the round, and the number of further proofs on which the two kernels disagree. */
  readonly proved: ArtifactRef;
  readonly disagreements: number;
  /** Conjectures that train, before and after the transport; equal if there was no transport. */
  readonly conjecturesKept: ArtifactRef | null;
  readonly conjecturesMatched: ArtifactRef | null;
  /** Rewards, with `objective.kind` `grpo` or `gfn`. Null or missing: proofs train, not rewards. */
  readonly rewards?: ArtifactRef | null;
}

type FinishPorts = RunStore & RunScratch & DataSources<keyof LemmaSources>;

export function finishRoundActivity(ports: FinishPorts) {
  return {
    /** Filters and weighs what trains the next model, counts the round, and writes its manifest last. */
    async finishRound(input: FinishRoundInput): Promise<Finished> {
      const store = await ports.store(input.run);
      return once(store, `${input.name}/finished.json`, finishedSchema, () =>
        withHeartbeat((signal) => finish(ports, store, input, signal)),
      );
    },
  };
}

async function finish(
  ports: FinishPorts,
  store: ObjectStore,
  input: FinishRoundInput,
  signal: AbortSignal,
): Promise<Finished> {
  const { name, round, config, rewards = null, conjecturesMatched: chosen } = input;
  const earlier = await readManifests(store, input.history);
  const conjectures = conjectureFiles(config, input.conjectures, earlier);
  const trained = await writeExamples(ports, store, input, { earlier, conjectures }, signal);
  const conjecturer = conjecturerExamples({ store, config, conjectures, chosen });
  const counts = await roundCounts(store, input, earlier, trained.counts);
  const manifest: RoundManifest = {
    round,
    modelIn: input.modelIn,
    rates: input.rates,
    proved: input.proved,
    library: input.library,
    conjectures: input.conjectures,
    conjecturerExamples:
      chosen !== null && chosen.count > 0
        ? await writeRecords(store, `${name}/conjecturer-examples.jsonl`, conjecturer, signal)
        : null,
    examples: trained.examples.count > 0 ? trained.examples : null,
    shards: [...input.shards],
    ...(rewards === null ? {} : { rewards }),
    counts,
  };
  const manifestRef = await store.put(`${name}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  return { manifest: manifestRef, counts, examples: manifest.examples };
}

type ExampleCounts = Pick<RoundCounts, 'proverExamples' | 'conjecturerExamples' | 'groups'>;

/**
 * Writes the training set of the next model: the objective's records of rewarded samples, or certified proofs and
 * conjectures.
 */
async function writeExamples(
  ports: FinishPorts,
  store: ObjectStore,
  input: FinishRoundInput,
  { earlier, conjectures }: { earlier: readonly RoundManifest[]; conjectures: ReturnType<typeof conjectureFiles> },
  signal: AbortSignal,
): Promise<{ readonly examples: ArtifactRef; readonly counts: ExampleCounts }> {
  const { run, round, config, rewards = null } = input;
  const { objective, prover, seed } = config;
  const grown = await Array.fromAsync(grownTheorems(store, input.library));
  const window = replayWindow(earlier, input.replayFrom, config.selection.replayRounds);
  const directory = await ports.scratch(run);
  const write = (examples: AsyncGenerator<unknown>): Promise<ArtifactRef> =>
    writeRecords(store, `${input.name}/examples.jsonl`, examples, signal);
  if (rewards !== null && trainsByReward(objective)) {
    const made = await objectiveExamples(objective, {
      store,
      sources: ports.sources,
      prover,
      grown,
      seed,
      round,
      signal,
      directory,
      rounds: [{ shards: input.shards, rewards }, ...rewardedRounds(window)],
    });
    const examples = await write(made.examples);
    return { examples, counts: { proverExamples: examples.count, conjecturerExamples: 0, groups: made.counts } };
  }
  const made = roundExamples({
    store,
    config,
    round,
    directory,
    signal,
    window,
    conjectures,
    chosen: input.conjecturesMatched,
    examplesOf: await proofExamples(ports.sources, prover, grown),
    rates: input.rates,
    proved: input.proved,
  });
  const examples = await write(made.examples);
  return {
    examples,
    counts: { proverExamples: made.counts.prover, conjecturerExamples: made.counts.conjecturer },
  };
}

async function roundCounts(
  store: ObjectStore,
  input: FinishRoundInput,
  earlier: readonly RoundManifest[],
  ofExamples: ExampleCounts,
): Promise<RoundCounts> {
  const { name, config, shards, rewards = null } = input;
  const proved = await certifiedStatements(store, input.proved);
  const judged = rewards === null ? null : await judgesSpent(store, name, shards.length);
  const { provedByScripts, ...statements } = await statementCounts(store, input.rates, proved, earlier);
  return {
    ...shardCounts(shards),
    ...statements,
    ...(provesByScripts(config.prover) ? { provedByScripts } : {}),
    conjecturesMade: input.conjecturesMade,
    conjecturesAttempted: input.conjectures?.count ?? 0,
    conjecturesKept: input.conjecturesKept?.count ?? 0,
    conjecturesMatched: input.conjecturesMatched?.count ?? 0,
    gate: input.gate,
    ...(input.ranker === undefined ? {} : { ranker: input.ranker }),
    certified: input.proved.count,
    kernelsDisagreed: input.disagreements,
    ...ofExamples,
    ...(judged === null ? {} : { judged }),
  };
}

/** Maps each certified statement to whether a sample of the model proved it; false if only scripts did. */
async function certifiedStatements(store: ObjectStore, proved: ArtifactRef): Promise<Map<string, boolean>> {
  const byModel = new Map<string, boolean>();
  for await (const { statementId, model } of readRecords(store, proved, provedSchema))
    byModel.set(statementId, model !== SCRIPTS_MODEL || byModel.get(statementId) === true);
  return byModel;
}

function shardCounts(shards: readonly ShardResult[]) {
  const sum = (pick: (shard: ShardResult) => number): number => shards.reduce((total, shard) => total + pick(shard), 0);
  return {
    samples: sum((shard) => shard.sampleCount),
    distinctSamples: sum((shard) => shard.distinctCount),
    ...sumTokens(shards),
    leanSeconds: sum((shard) => shard.checkMs) / 1_000,
    verdicts: sumVerdicts(shards.map((shard) => shard.verdictCounts)),
  };
}

/**
 * Counts dataset statements: attempted, proved in this round, proved in any round. Counts proved conjectures. Counts
 * how many of both were proved by scripts alone.
 */
async function statementCounts(
  store: ObjectStore,
  rates: ArtifactRef,
  proved: ReadonlyMap<string, boolean>,
  earlier: readonly RoundManifest[],
) {
  let attempted = 0;
  let conjecturesProved = 0;
  const provedByScripts = { statements: 0, conjectures: 0 };
  const ever = new Set<string>();
  for await (const { statementId, origin } of readRecords(store, rates, rateSchema)) {
    if (origin === 'dataset') attempted++;
    const byModel = proved.get(statementId);
    if (byModel === undefined) continue;
    if (!byModel) provedByScripts[origin === 'dataset' ? 'statements' : 'conjectures']++;
    if (origin === 'dataset') ever.add(statementId);
    else conjecturesProved++;
  }
  const provedThisRound = ever.size;
  for (const manifest of earlier)
    for await (const { statementId, origin, successes } of readRecords(store, manifest.rates, rateSchema))
      if (origin === 'dataset' && successes > 0) ever.add(statementId);
  return { attempted, conjecturesProved, provedThisRound, provedEver: ever.size, provedByScripts };
}
