/**
 * Samples and verifies shards; while some are verified the next one is sampled. Stages of different shards overlap. At
 * most as many shards are in flight as the nodes with Lean can hold, so no long queue of unverified samples builds up.
 * Each shard passes through the turns of its prover (`packages/config/schemas/provers`), and each turn's samples are
 * checked before the next.
 */

import {
  type ArtifactRef,
  type CheckpointRef,
  type KnownTurn,
  proverIn,
  type RunConfig,
  type ShardResult,
  shardFolder,
  trainsByReward,
  turnsOf,
} from '@stp/config/workflow';
import type { ProverActivity, Sampled, ShardTurn, TurnResults } from '../../activities/provers/shard-turn.ts';
import { host, lean, oneOfSeveral, streaming } from '../control/activity-proxies.ts';
import { ConcurrencyLimit } from '../nodes/concurrency-limit.ts';
import { allPieces, PIECES_AT_ONCE_MAX, piecesAtOnce } from '../nodes/lean-nodes.ts';
import { MachinePool } from '../nodes/machine-pool.ts';

export interface ProveShardsInput {
  readonly run: string;
  /** Host queues of the machines that sample, one shard at a time each. */
  readonly hostQueues: readonly string[];
  /** Folder of the shards' objects, without the shard's number. */
  readonly name: string;
  readonly shards: readonly ArtifactRef[];
  readonly checkpoint: CheckpointRef;
  readonly config: RunConfig;
  /** Theorems that the run has proved and that proofs may use; null: none. */
  readonly library: ArtifactRef | null;
  /** Missing: the statements do not belong to a round. */
  readonly round?: number;
  /** Ranking of actions from earlier tries, as in `ShardTurn`. */
  readonly ranking?: ArtifactRef | null;
  readonly isOpen: () => boolean;
  readonly onShard: (result: ShardResult) => void;
  /** Called once, when the model has nothing left to do here. */
  readonly onSampled?: () => void;
}

/** Data that the shards of one call share. */
interface Proving extends ProveShardsInput {
  readonly turns: readonly KnownTurn[];
  readonly inFlightMax: number;
  readonly samplers: MachinePool;
}

interface Shard {
  /** Folder of the shard's objects. */
  readonly name: string;
  readonly items: ArtifactRef;
  /** Such as `shard 3 of 12`, for the UI. */
  readonly label: string;
}

/** Returns the result of every shard, in order. */
export async function proveShards(input: ProveShardsInput): Promise<ShardResult[]> {
  const { hostQueues, shards, config, isOpen, onSampled } = input;
  // Shards being sampled are in flight beside those being checked.
  const inFlightMax = Math.min(PIECES_AT_ONCE_MAX, hostQueues.length + (await piecesAtOnce()));
  const inFlight = new ConcurrencyLimit(inFlightMax, isOpen);
  const proving = { ...input, turns: turnsOf(config.prover), inFlightMax, samplers: new MachinePool(hostQueues) };
  let unsampled = shards.length;
  const sampledOne = (): void => {
    unsampled -= 1;
    if (unsampled === 0) onSampled?.();
  };
  if (unsampled === 0) onSampled?.();
  return allPieces(() =>
    shards.map((items, index) => {
      const shard = { name: shardFolder(input.name, index), items, label: `shard ${index + 1} of ${shards.length}` };
      return inFlight.run(() => proveShard(proving, shard, sampledOne));
    }),
  );
}

/** @param onSampled called once, when the model has nothing left to do at the shard */
async function proveShard(proving: Proving, shard: Shard, onSampled: () => void): Promise<ShardResult> {
  const { turns, onShard } = proving;
  const lastOfModel = turns.findLastIndex(({ queue }) => queue === 'host');
  let result: ShardResult | null = null;
  const answers: ArtifactRef[] = [];
  const ended = new Set<string>();
  for (const [number, turn] of turns.entries()) {
    const taken: Awaited<ReturnType<ProverActivity>> = ended.has(turn.activity)
      ? null
      : await takeTurn(proving, shard, turn, { turn: number, answers, earlier: result });
    if (number === lastOfModel) onSampled();
    if (taken === null) {
      ended.add(turn.activity);
      continue;
    }
    const { search, walks, tries, figures, ...sampled }: Sampled & TurnResults = taken;
    if (sampled.answers !== undefined) answers.push(sampled.answers);
    const checked: ShardResult = await checkTurn(proving, shard, turn, sampled, result);
    result = { ...checked, ...together(result, { search, walks, tries, figures }) };
  }
  if (lastOfModel === -1) onSampled();
  // Only a later turn may find nothing to do.
  onShard(result!);
  return result!;
}

/** Runs the turn's activity, on the queue that the turn names. */
function takeTurn(
  { run, library, checkpoint, round, ranking, config, samplers, inFlightMax }: Proving,
  { name, items, label }: Shard,
  turn: KnownTurn,
  soFar: Pick<ShardTurn, 'turn' | 'answers' | 'earlier'>,
): ReturnType<ProverActivity> {
  const { prover, sampling, seed, modelThreads, verification, objective } = config;
  const asked: ShardTurn = {
    run,
    name,
    items,
    library,
    checkpoint,
    ...(round === undefined ? {} : { round }),
    ...(ranking === undefined ? {} : { ranking }),
    config: { prover, sampling, seed, modelThreads, verification },
    ...(trainsByReward(objective) ? { keepsTexts: true } : {}),
    ...soFar,
    keepsAnswers: turn.keepsAnswers ?? false,
  };
  const summary = `${turn.doing} ${label}: ${items.count} statements`;
  if (turn.queue === 'lean') return lean(summary, inFlightMax)[turn.activity](asked);
  return samplers.run((queue, isLast) => (isLast ? host : oneOfSeveral)(queue, summary)[turn.activity](asked));
}

/** Has Lean, or judges, check a turn's samples. */
function checkTurn(
  { run, library, config, inFlightMax }: Proving,
  { name, items, label }: Shard,
  turn: KnownTurn,
  sampled: Sampled,
  earlier: ShardResult | null,
): Promise<ShardResult> {
  const { prover, seed, verification, objective } = config;
  const folder = turn.folder === null ? name : `${name}/${turn.folder}`;
  const distinct = `${sampled.distinctCount - (earlier?.distinctCount ?? 0)} distinct proofs`;
  if (proverIn(prover).checkedBy === 'judges' && trainsByReward(objective))
    return streaming(`judge ${label}: ${distinct}`).judgeShard({
      run,
      name: folder,
      items,
      sampled,
      config: { rewards: objective.rewards, seed },
    });
  const limits = turn.isUnbounded ? { ...verification, heartbeatsMax: null } : verification;
  return lean(`verify ${label}: ${distinct}`, inFlightMax).verifyShard({
    run,
    name: folder,
    items,
    sampled,
    earlier,
    library,
    config: { prover, verification: limits },
  });
}

/** Joins the results of two turns; undefined values are left out. */
function together(before: TurnResults | null, now: TurnResults): TurnResults {
  const search = now.search ?? before?.search;
  const walks = now.walks ?? before?.walks;
  const tries = now.tries ?? before?.tries;
  const figures = { ...before?.figures };
  for (const [name, value] of Object.entries(now.figures ?? {})) figures[name] = (figures[name] ?? 0) + value;
  return {
    ...(search === undefined ? {} : { search }),
    ...(walks === undefined ? {} : { walks }),
    ...(tries === undefined ? {} : { tries }),
    ...(Object.keys(figures).length === 0 ? {} : { figures }),
  };
}
