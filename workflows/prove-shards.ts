/**
 * Samples and verifies shards: while one shard is verified the next is sampled. Shards flow, stages do not wait for each
 * other; at most two are ahead of verification, so that a long queue of unverified samples never builds up.
 */
import { CancellationScope } from '@temporalio/workflow';
import type { ArtifactRef, CheckpointRef } from '../data/schemas/artifact.ts';
import { type ShardResult, shardFolder } from '../data/schemas/round.ts';
import type { RunConfig } from '../data/schemas/run-config.ts';
import { host } from './activity-proxies.ts';
import { Lane } from './lane.ts';

export interface ProveShardsInput {
  readonly run: string;
  readonly hostQueue: string;
  /** Folder of the shards' objects, without the shard's number. */
  readonly name: string;
  readonly shards: readonly ArtifactRef[];
  readonly checkpoint: CheckpointRef;
  readonly config: RunConfig;
  readonly isOpen: () => boolean;
  readonly onShard: (result: ShardResult) => void;
}

/** Shards in flight, sampled or being verified. */
const AHEAD_MAX = 3;

export async function proveShards(input: ProveShardsInput): Promise<ShardResult[]> {
  const { run, hostQueue, checkpoint } = input;
  const { sampling, seed, modelThreads, verification } = input.config;
  const inFlight = new Lane(AHEAD_MAX, input.isOpen);
  const sampler = new Lane(1);
  const verifier = new Lane(1);
  const total = input.shards.length;
  const shards = (): Promise<ShardResult>[] =>
    input.shards.map((items, index) =>
      inFlight.run(async () => {
        const label = `shard ${index + 1} of ${total}`;
        const name = shardFolder(input.name, index);
        const sampled = await sampler.run(() =>
          host(hostQueue, `sample ${label}: ${items.count} statements × ${sampling.samplesPerStatement}`).sampleShard({
            run,
            name,
            items,
            checkpoint,
            config: { sampling, seed, modelThreads },
          }),
        );
        const result = await verifier.run(() =>
          host(hostQueue, `verify ${label}: ${sampled.distinctCount} distinct proofs`).verifyShard({
            run,
            name,
            items,
            sampled,
            config: { verification },
          }),
        );
        input.onShard(result);
        return result;
      }),
    );
  // One shard that fails ends the others before anybody cleans up, or tries again, beside them.
  const scope = new CancellationScope();
  return scope.run(async () => {
    const running = shards();
    try {
      return await Promise.all(running);
    } catch (error) {
      scope.cancel();
      await Promise.allSettled(running);
      throw error;
    }
  });
}
