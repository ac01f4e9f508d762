/**
 * Samples and verifies shards: while some are verified the next is sampled. Shards flow, stages do not wait for each other;
 * as many are in flight as the nodes with Lean can hold, so that a long queue of unverified samples never builds up.
 */
import type { ArtifactRef, CheckpointRef } from '../../data/schemas/artifact.ts';
import { type ShardResult, shardFolder } from '../../data/schemas/round.ts';
import type { RunConfig } from '../../data/schemas/run-config.ts';
import { host, lean, oneOfSeveral } from '../control/activity-proxies.ts';
import { Crew } from '../nodes/crew.ts';
import { Lane } from '../nodes/lane.ts';
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
  /** Theorems that grew out of earlier rounds and stand under the proofs; null: none. */
  readonly library: ArtifactRef | null;
  readonly isOpen: () => boolean;
  readonly onShard: (result: ShardResult) => void;
}

export async function proveShards(input: ProveShardsInput): Promise<ShardResult[]> {
  const { run, hostQueues, checkpoint, library } = input;
  const { prover, sampling, seed, modelThreads, verification } = input.config;
  // Those that are sampled come beside those that are checked.
  const inFlightMax = Math.min(PIECES_AT_ONCE_MAX, hostQueues.length + (await piecesAtOnce()));
  const inFlight = new Lane(inFlightMax, input.isOpen);
  const samplers = new Crew(hostQueues);
  const total = input.shards.length;
  const prove = async (items: ArtifactRef, index: number): Promise<ShardResult> => {
    const label = `shard ${index + 1} of ${total}`;
    const name = shardFolder(input.name, index);
    const summary = `sample ${label}: ${items.count} statements`;
    const sampled = await samplers.run((queue) =>
      (hostQueues.length === 1 ? host(queue, summary) : oneOfSeveral(queue, summary)).sampleShard({
        run,
        name,
        items,
        library,
        checkpoint,
        config: { prover, sampling, seed, modelThreads, verification },
      }),
    );
    const result = await lean(`verify ${label}: ${sampled.distinctCount} distinct proofs`, inFlightMax).verifyShard({
      run,
      name,
      items,
      sampled,
      library,
      config: { verification },
    });
    input.onShard(result);
    return result;
  };
  return allPieces(() => input.shards.map((items, index) => inFlight.run(() => prove(items, index))));
}
