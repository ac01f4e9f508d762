/**
 * Samples and verifies shards: while some are verified the next is sampled. Shards flow, stages do not wait for each other;
 * as many are in flight as the nodes with Lean can hold, so that a long queue of unverified samples never builds up. A
 * shard whose samples come in waves is sampled again for the statements that verification says are still open.
 */
import type { WaveResult } from '../../activities/round/verify-shard.ts';
import type { ArtifactRef, CheckpointRef } from '../../data/schemas/artifact.ts';
import { type ShardResult, shardFolder, sumVerdicts, waveFolder } from '../../data/schemas/round.ts';
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
  const wave = async (items: ArtifactRef, label: string, shard: string, index: number): Promise<WaveResult> => {
    const name = waveFolder(shard, index);
    const summary = `sample ${label}: ${items.count} statements`;
    const sampled = await samplers.run((queue) =>
      (hostQueues.length === 1 ? host(queue, summary) : oneOfSeveral(queue, summary)).sampleShard({
        run,
        shard,
        name,
        wave: index,
        items,
        library,
        checkpoint,
        config: { prover, sampling, seed, modelThreads, verification },
      }),
    );
    return lean(`verify ${label}: ${sampled.distinctCount} distinct proofs`, inFlightMax).verifyShard({
      run,
      name,
      wave: index,
      items,
      sampled,
      library,
      config: { verification, sampling },
    });
  };
  return allPieces(inFlightMax, () =>
    input.shards.map((items, index) =>
      inFlight.run(async () => {
        const shard = shardFolder(input.name, index);
        const waves: WaveResult[] = [];
        for (let next: ArtifactRef | null = items; next !== null && waves.length < sampling.waves; ) {
          const later = waves.length === 0 ? '' : `, wave ${waves.length + 1}`;
          const result: WaveResult = await wave(next, `shard ${index + 1} of ${total}${later}`, shard, waves.length);
          waves.push(result);
          next = result.next;
        }
        const result = sumWaves(items, waves);
        input.onShard(result);
        return result;
      }),
    ),
  );
}

/** What the waves of a shard came to. Samples that two waves have in common are distinct in each. */
function sumWaves(items: ArtifactRef, waves: readonly WaveResult[]): ShardResult {
  const sum = (pick: (wave: WaveResult) => number): number => waves.reduce((total, wave) => total + pick(wave), 0);
  return {
    items,
    parts: waves.map((wave) => wave.part),
    sampleCount: sum((wave) => wave.sampleCount),
    distinctCount: sum((wave) => wave.distinctCount),
    tokens: sum((wave) => wave.tokens),
    verdictCounts: sumVerdicts(waves.map((wave) => wave.verdictCounts)),
    provedStatements: sum((wave) => wave.provedStatements),
    checkMs: sum((wave) => wave.checkMs),
  };
}
