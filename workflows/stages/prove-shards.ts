/**
 * Samples and verifies shards: while some are verified the next is sampled. Shards flow, stages do not wait for each other;
 * as many are in flight as the nodes with Lean can hold, so that a long queue of unverified samples never builds up. If the
 * configuration asks for it (`prover.mode`), a shard is then searched for proofs that its samples did not find, or its failed
 * samples are revised. Last, with `prover.scripts`, scripts try what is left. Proofs in words are judged instead of verified.
 */

import {
  type ArtifactRef,
  type CheckpointRef,
  isInWords,
  proverMode,
  type RunConfig,
  type ShardResult,
  shardFolder,
  trainsByReward,
  usesScripts,
} from '@stp/config/workflow';
import type { Sampled } from '../../activities/round/sampled.ts';
import { host, lean, oneOfSeveral, streaming } from '../control/activity-proxies.ts';
import { MachinePool } from '../nodes/machine-pool.ts';
import { ConcurrencyLimit } from '../nodes/concurrency-limit.ts';
import { allPieces, PIECES_AT_ONCE_MAX, piecesAtOnce } from '../nodes/lean-nodes.ts';

export interface ProveShardsInput {
  readonly run: string;
  /** Own queues of the machines that sample, each one shard at a time. */
  readonly hostQueues: readonly string[];
  /** Folder of the shards' objects, without the shard's number. */
  readonly name: string;
  readonly shards: readonly ArtifactRef[];
  readonly checkpoint: CheckpointRef;
  readonly config: RunConfig;
  /** Theorems that the run has proved and that stand under the proofs; null: none. */
  readonly library: ArtifactRef | null;
  /** Missing: the statements are none of a round's. */
  readonly round?: number;
  readonly isOpen: () => boolean;
  readonly onShard: (result: ShardResult) => void;
  /** Called once the model has nothing left to do here. */
  readonly onSampled?: () => void;
}

export async function proveShards(input: ProveShardsInput): Promise<ShardResult[]> {
  const { run, hostQueues, checkpoint, library, round } = input;
  const { prover, sampling, seed, modelThreads, verification, rewards, judging } = input.config;
  const mode = proverMode(input.config);
  // Those that are sampled come beside those that are checked.
  const inFlightMax = Math.min(PIECES_AT_ONCE_MAX, hostQueues.length + (await piecesAtOnce()));
  const inFlight = new ConcurrencyLimit(inFlightMax, input.isOpen);
  const samplers = new MachinePool(hostQueues);
  const sampler = (isLast: boolean) => (isLast ? host : oneOfSeveral);
  const total = input.shards.length;
  let unsampled = total;
  const sampledOne = (): void => {
    unsampled -= 1;
    if (unsampled === 0) input.onSampled?.();
  };
  if (total === 0) input.onSampled?.();
  const prove = async (items: ArtifactRef, index: number): Promise<ShardResult> => {
    const label = `shard ${index + 1} of ${total}`;
    const name = shardFolder(input.name, index);
    const shard = {
      run,
      name,
      items,
      library,
      checkpoint,
      config: { prover, sampling, seed, modelThreads, verification },
      ...(trainsByReward(input.config) ? { keepsTexts: true } : {}),
    };
    const verify = (
      folder: string,
      sampled: Sampled,
      earlier: ShardResult | null,
      limits: RunConfig['verification'] = verification,
    ): Promise<ShardResult> => {
      if (isInWords(input.config))
        return streaming(`judge ${label}: ${sampled.distinctCount} distinct proofs`).judgeShard({
          run,
          name: folder,
          items,
          sampled,
          config: { rewards, judging, seed },
        });
      const distinct = sampled.distinctCount - (earlier?.distinctCount ?? 0);
      return lean(`verify ${label}: ${distinct} distinct proofs`, inFlightMax).verifyShard({
        run,
        name: folder,
        items,
        sampled,
        earlier,
        library,
        config: { prover, verification: limits },
      });
    };
    const proveWhole = async (): Promise<ShardResult> => {
      const summary = `sample ${label}: ${items.count} statements`;
      const sampled = await samplers.run((queue, isLast) => sampler(isLast)(queue, summary).sampleShard(shard));
      if (mode === 'whole') sampledOne();
      return verify(name, sampled, null);
    };
    /** Each turn is verified before the next: Lean's errors are what the model is told. */
    const revise = async (): Promise<ShardResult> => {
      const sampled = await samplers.run((queue, isLast) =>
        sampler(isLast)(queue, `sample ${label}: ${items.count} statements`).sampleShard(shard),
      );
      let result = await verify(name, sampled, null);
      let answers = sampled.answers === undefined ? [] : [sampled.answers];
      for (let turn = 1; turn <= prover.revision.turns; turn += 1) {
        const revision = { ...shard, turn, answers, earlier: result };
        const revised: Sampled | null = await samplers.run((queue, isLast) =>
          sampler(isLast)(queue, `revise ${label}, turn ${turn}`).reviseShard(revision),
        );
        if (revised?.answers === undefined) break;
        answers = [...answers, revised.answers];
        result = await verify(`${name}/turn-${turn}`, revised, result);
      }
      return result;
    };
    const search = async (earlier: ShardResult | null): Promise<ShardResult> => {
      const summary = `search ${label}: ${items.count} statements`;
      const { search: found, ...sampled } = await samplers.run((queue, isLast) =>
        sampler(isLast)(queue, summary).searchShard({ ...shard, earlier }),
      );
      return { ...(await verify(`${name}/search`, sampled, earlier)), search: found };
    };
    const walk = async (): Promise<ShardResult> => {
      const summary = `walks of ${label}: ${items.count} statements`;
      const { walks, leanMs, ...sampled } = await samplers.run((queue, isLast) =>
        sampler(isLast)(queue, summary).walkShard(shard),
      );
      return { ...(await verify(name, sampled, null)), walks, walksLeanMs: leanMs };
    };
    const proveAs = {
      walks: walk,
      whole: proveWhole,
      revise,
      steps: () => search(null),
      both: async () => search(await proveWhole()),
    };
    const tryScripts = async (earlier: ShardResult): Promise<ShardResult> => {
      const scripts = { run, name, items, earlier, library, round, config: { prover, verification } };
      const sampled = await lean(`scripts for ${label}`, inFlightMax).scriptShard(scripts);
      if (sampled === null) return earlier;
      const { search } = earlier;
      // Lean has proved these once, the record's under limits of their own, others beside scripts with which they shared what Lean
      // makes once a process: alone they can take more heartbeats.
      const verified = await verify(`${name}/scripts`, sampled, earlier, { ...verification, heartbeatsMax: null });
      return search === undefined ? verified : { ...verified, search };
    };
    const ownResult = await proveAs[mode]();
    if (mode !== 'whole') sampledOne();
    const result = usesScripts(input.config) ? await tryScripts(ownResult) : ownResult;
    input.onShard(result);
    return result;
  };
  return allPieces(() => input.shards.map((items, index) => inFlight.run(() => prove(items, index))));
}
