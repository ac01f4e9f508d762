/**
 * A simulated node: a real Temporal worker on the queue of Lean with the real `verifyShard`, over processes that sleep for as
 * long as a proof is to take.
 */

import type { ObjectStore } from '@stp/config/records';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../activities/edge.ts';
import type { VerifyShardInput } from '../../activities/lean/verify-shard.ts';
import { verifyShardActivity } from '../../activities/lean/verify-shard.ts';
import { LEAN_QUEUE } from '../../workflows/control/contracts.ts';
import { SimulatedProcesses, simulatedVerifier } from './processes.ts';

export interface SimulatedNodeOptions {
  readonly name: string;
  /** Of its own: of one connection the SDK takes one worker a queue. */
  readonly connection: NativeConnection;
  readonly store: ObjectStore;
  readonly processes: number;
  readonly proofMs: number;
  readonly shardsAtOnce: number;
}

/** What a node has done. Times are ms since 1970. */
export interface NodeFigures {
  readonly name: string;
  shards: number;
  /** Of all its processes, added up. */
  checkMs: number;
  /** When its first shard began; null before. */
  begunAtMs: number | null;
  /** When its processes got their first proof; null before. */
  checkingAtMs: number | null;
  /** When its last shard ended. */
  endedAtMs: number;
}

export interface SimulatedNode {
  readonly worker: Worker;
  /** They grow while it works. */
  readonly figures: NodeFigures;
}

export async function simulatedNode(options: SimulatedNodeOptions): Promise<SimulatedNode> {
  const { name, connection, store, processes, proofMs, shardsAtOnce } = options;
  const simulated = simulatedVerifier(new SimulatedProcesses(processes), () => proofMs);
  const figures: NodeFigures = { name, shards: 0, checkMs: 0, begunAtMs: null, checkingAtMs: null, endedAtMs: 0 };
  const check: typeof simulated.check = (candidates, options) => {
    figures.checkingAtMs ??= Date.now();
    return simulated.check(candidates, options);
  };
  const { verifyShard } = verifyShardActivity({
    store: async () => store,
    verifier: async () => ({ ...simulated, check }),
    monitor: async () => ({ log: async () => undefined }),
  });
  const worker = await Worker.create({
    connection,
    identity: name,
    taskQueue: LEAN_QUEUE,
    activities: {
      async verifyShard(shard: VerifyShardInput) {
        figures.begunAtMs ??= Date.now();
        const result = await verifyShard(shard);
        figures.shards += 1;
        figures.checkMs += result.checkMs;
        figures.endedAtMs = Date.now();
        return result;
      },
    },
    interceptors: { activity: [edgeInterceptors] },
    maxConcurrentActivityTaskExecutions: shardsAtOnce,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
  });
  return { worker, figures };
}
