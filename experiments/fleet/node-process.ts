/**
 * Some simulated nodes in one process, each a real Temporal worker on the queue of Lean with the real `verifyShard` over
 * processes that sleep. Its one argument is a `NodeProcessInput` as JSON; every verdict is a line of its log.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { activityInfo } from '@temporalio/activity';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX } from '../../activities/edge.ts';
import type { Ports } from '../../activities/ports.ts';
import { type VerifyShardInput, verifyShardActivities } from '../../activities/verify-shard.ts';
import type { ObjectStore } from '../../infra/stores/object-store.ts';
import { openStore } from '../../infra/stores/open-store.ts';
import { runTogether } from '../../workers/run-together.ts';
import { LEAN_QUEUE } from '../../workflows/contracts.ts';
import type { LogLine, NodeProcessInput } from './measures.ts';
import { SimulatedProcesses, simulatedVerifier } from './simulated-processes.ts';
import { proofMs } from './times.ts';

/** A process that is killed loses so much of its log at most. */
const FLUSH_MS = 100;
/** A shard that is checked and one that follows it, as the slots of a real node that leaves cores idle. */
const SHARDS_AT_ONCE = 2;

process.once('disconnect', () => process.exit(1));
process.channel?.unref();
Runtime.install({ logger: new DefaultLogger('ERROR') });
const input = JSON.parse(process.argv[2] ?? '{}') as NodeProcessInput;
const store = await openStore(input.storeUri);
const lines: string[] = [];
const flush = (): void => {
  if (lines.length > 0) appendFileSync(input.logPath, lines.splice(0).join(''));
};
const write = (line: LogLine): void => void lines.push(`${JSON.stringify(line)}\n`);

/** The store as it would be if no attempt had left anything behind. */
const forgetful: ObjectStore = { ...store, list: async function* () {} };

function nodeActivities(node: string) {
  const processes = new SimulatedProcesses(input.processesPerNode);
  const shards = new AsyncLocalStorage<string>();
  const verifier = async () => {
    const shard = shards.getStore()!;
    const { scheduledTimestampMs } = activityInfo();
    const simulated = simulatedVerifier(processes, ({ id }) => proofMs(input.times, shard, id));
    const check: typeof simulated.check = (candidates, options = {}) => {
      const told = (): void => write({ kind: 'told', node, shard, atMs: Date.now() });
      if (options.signal?.aborted) told();
      else options.signal?.addEventListener('abort', told, { once: true });
      return simulated.check(candidates, {
        ...options,
        onResult: (result) => {
          const [ms, endedAtMs] = [result.checkMs, Date.now()];
          write({
            kind: 'proof',
            node,
            shard,
            sample: result.id,
            ms,
            endedAtMs,
            latencyMs: endedAtMs - scheduledTimestampMs,
          });
          options.onResult?.(result);
        },
      });
    };
    return { ...simulated, check };
  };
  const monitor = async () => ({ log: async () => undefined });
  const ports = { store: async () => (input.keepsParts ? store : forgetful), verifier, monitor } as unknown as Ports;
  const { verifyShard } = verifyShardActivities(ports);
  return {
    verifyShard: (shard: VerifyShardInput) =>
      shards.run(shard.name, async () => {
        const { scheduledTimestampMs, attempt } = activityInfo();
        const result = await verifyShard(shard);
        write({ kind: 'shard', node, shard: shard.name, attempt, latencyMs: Date.now() - scheduledTimestampMs });
        return result;
      }),
  };
}

/** Of one connection the SDK takes one worker a queue: each node has its own. */
const nodes = await Promise.all(
  input.nodes.map(async (node) => {
    const connection = await NativeConnection.connect({ address: input.address });
    const worker = await Worker.create({
      connection,
      taskQueue: LEAN_QUEUE,
      identity: node,
      activities: nodeActivities(node),
      interceptors: { activity: [edgeInterceptors] },
      maxConcurrentActivityTaskExecutions: SHARDS_AT_ONCE,
      maxConcurrentActivityTaskPolls: 1,
      maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
    });
    return { connection, worker };
  }),
);
const flushing = setInterval(flush, FLUSH_MS);
await runTogether(
  nodes.map(({ worker }) => worker),
  () => undefined,
);
clearInterval(flushing);
flush();
for (const { connection } of nodes) await connection.close();
