/**
 * One real `stp-round` workflow for measuring verification: its shards exist at once, and all other activities answer
 * at once. Every node that polls Lean's queue verifies.
 */

import { resolveConfig } from '@stp/config';
import { statementId } from '@stp/config/ids';
import {
  type ArtifactRef,
  NO_ROUND_COUNTS,
  type ObjectStore,
  type RoundOutcome,
  type ShardResult,
} from '@stp/config/records';
import { dedupeSamples } from '@stp/selfplay';
import { Client, isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions, Worker } from '@temporalio/worker';
import { countWorkers, countWorkersActivity } from '../../activities/control/count-workers.ts';
import { findHostsActivity } from '../../activities/control/find-hosts.ts';
import type { VerifyShardInput } from '../../activities/lean/verify-shard.ts';
import { writeRecords } from '../../activities/records/record-files.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { workerSettings } from '../../workers/settings.ts';
import {
  CONTROL_QUEUE,
  LEAN_QUEUE,
  ROUND_TYPE,
  type RoundInput,
  roundWorkflowId,
} from '../../workflows/control/contracts.ts';

export interface SimulatedRound {
  readonly server: NativeConnectionOptions;
  readonly store: ObjectStore;
  readonly run: string;
  readonly shards: number;
  readonly proofsPerShard: number;
  /** Workers that must poll the queue of Lean before the round begins. */
  readonly nodes: number;
}

export interface SimulatedOutcome {
  /** Wall time of the stage in which shards are sampled and verified, seconds. */
  readonly proveSeconds: number;
  readonly shards: readonly ShardResult[];
  /** Of the round's workflow. */
  readonly history: { readonly events: number; readonly bytes: number };
}

/** Machines that sample: one alone could not hand out shards as fast as hundreds of nodes check them. */
const HOST_QUEUES = Array.from({ length: 8 }, (_, index) => `host/simulated/${index}`);
const POLL_MS = 250;
/** Code of gRPC. */
const RESOURCE_EXHAUSTED = 8;
const BUSY_PAUSE_MS = 5_000;

/** Ends with the signal's reason where that ends first. */
export async function playSimulatedRound(round: SimulatedRound, signal: AbortSignal): Promise<SimulatedOutcome> {
  const { run, store } = round;
  const { items, samples } = await writeObjects(round);
  const nothing = await store.put('nothing.json', '{}\n');
  const finished: ShardResult[] = [];
  const activities = {
    ...findHostsActivity(),
    ...countWorkersActivity(),
    planShards: async () => ({ shards: Array.from({ length: round.shards }, () => items) }),
    collectRound: async () => ({ rates: nothing, proved: nothing, disagreements: 0 }),
    finishRound: async ({ shards }: { shards: readonly ShardResult[] }) => {
      finished.push(...shards);
      return { manifest: nothing, counts: NO_ROUND_COUNTS, examples: null };
    },
    sampleShard: async (): Promise<VerifyShardInput['sampled']> => ({
      samples,
      sampleCount: round.proofsPerShard,
      distinctCount: round.proofsPerShard,
      tokens: 0,
    }),
    copyCheckpoint: async () => ({ node: 'simulated', directory: '/simulated', bytes: 0 }),
    warmPageCache: async () => ({ node: 'simulated', files: 0, bytes: 0, whole: true }),
    cleanUpNode: async () => ({
      ...{ node: 'simulated', processesEnded: 0, memoryBytesFreed: 0 },
      ...{ cpuSecondsUsed: 0, scratchBytesFreed: 0 },
    }),
  };
  const connection = await NativeConnection.connect(round.server);
  try {
    const codePath = await workflowBundle(workerSettings().cacheDirectory);
    const common = { connection, activities };
    const control = await Worker.create({ ...common, taskQueue: CONTROL_QUEUE, workflowBundle: { codePath } });
    const hosts = await Promise.all(HOST_QUEUES.map((taskQueue) => Worker.create({ ...common, taskQueue })));
    const client = new Client({ connection });
    const play = async (): Promise<SimulatedOutcome> => {
      await untilPolled(client, round.nodes, signal);
      const handle = await client.workflow.start(ROUND_TYPE, {
        workflowId: roundWorkflowId(run, 0),
        taskQueue: CONTROL_QUEUE,
        args: [roundInput(run, nothing)],
      });
      const { promise: ended, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      const { secondsPerStage } = await Promise.race([outcomeOf(handle), ended]);
      const { historyLength, historySize = 0 } = await handle.describe();
      return {
        proveSeconds: secondsPerStage.prove ?? 0,
        shards: finished,
        history: { events: historyLength, bytes: historySize },
      };
    };
    return await [control, ...hosts].reduce((inner, worker) => () => worker.runUntil(inner), play)();
  } finally {
    // Workers that ended by a failure may hold it still; what they failed with is what counts.
    await connection.close().catch(() => undefined);
  }
}

/** A workflow that hundreds of nodes write to at once may be too busy to answer; then it is asked again. */
async function outcomeOf(handle: WorkflowHandle): Promise<RoundOutcome> {
  for (;;)
    try {
      return (await handle.result()) as RoundOutcome;
    } catch (error) {
      const { cause } = error as Error;
      if (!isGrpcServiceError(cause) || cause.code !== RESOURCE_EXHAUSTED) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
}

/** The same statement and samples for every shard: what differs is the shard's name. */
async function writeObjects({ store, proofsPerShard }: SimulatedRound) {
  const text = 'theorem simulated (n : Nat) : n = n';
  const id = statementId(null, text);
  const statement = { id, name: 'simulated', header: null, statement: text, split: 'train', labels: [], weight: 1 };
  const raw = Array.from({ length: proofsPerShard }, (_, index) => ({
    ...{ statementId: id, index, text: `  simulated ${index}`, tokens: 1, logprob: 0, seed: index },
    finish: 'stop' as const,
  }));
  return {
    items: await writeRecords(store, 'items.jsonl', [{ statement, origin: 'dataset', samples: proofsPerShard }]),
    samples: await writeRecords(store, 'samples.jsonl', dedupeSamples(raw, 'simulated')),
  };
}

function roundInput(run: string, nothing: ArtifactRef): RoundInput {
  const checkpoint = { manifest: nothing, model: 'simulated' };
  const refs = { train: nothing, heldOut: nothing, heldOutKeys: nothing, canaries: nothing, theorems: nothing };
  const counts = { libraryProofs: 0, searchedProofs: 0, conjecturerExamples: 0 };
  const excluded = { excludedForHeldOut: 0, trainExcludedForHeldOut: 0 };
  return {
    ...{ run, round: 0, hostQueue: HOST_QUEUES[0]!, hostQueues: HOST_QUEUES, checkpoint, sftCheckpoint: checkpoint },
    config: resolveConfig({ preset: 'smoke', set: { 'training.from': 'none' } }),
    data: { ...refs, sft: nothing, sftEval: nothing, counts: { ...counts, ...excluded } },
    ...{ replayFrom: 0, history: [], paused: false },
  };
}

async function untilPolled(client: Client, nodes: number, signal: AbortSignal): Promise<void> {
  while ((await countWorkers(client, LEAN_QUEUE)) < nodes) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
