/**
 * Makes and runs Temporal workers: control (workflows, short activities), host (models, a node's host queue) and Lean
 * (checks, the queue that all nodes share).
 */

import { StpError } from '@stp/base';
import { freeBytesOf } from '@stp/base/files';
import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerTuner } from '@temporalio/worker';
import { edgeInterceptors, HEARTBEAT_THROTTLE_MS_MAX, sharedQueueInterceptors } from '../activities/edge.ts';
import {
  createControlActivities,
  createHostActivities,
  createLeanActivities,
  createNodeActivities,
} from '../activities/index.ts';
import { CONTROL_QUEUE, LEAN_QUEUE } from '../workflows/control/contracts.ts';
import { type AssembledPorts, localHostQueue } from './assemble.ts';
import { untilServer } from './await-server.ts';
import { workflowBundle } from './bundle.ts';
import { reportUnfollowable } from './followable.ts';
import { scheduleJanitor } from './janitor-schedule.ts';
import { leanWorker } from './lean-worker.ts';
import { prometheusExport } from './prometheus-export.ts';
import { type RunnableWorker, runTogether } from './run-together.ts';
import type { WorkerSettings } from './settings.ts';
import { DEFAULT_TEMPORAL_ADDRESS } from './temporal-address.ts';

export type WorkerRole = 'control' | 'host' | 'lean';

/**
 * Most host activities at once: sampling, a training, and small writes and clean-ups. More would compete for the cores.
 */
const HOST_ACTIVITIES_MAX = 4;

/**
 * Shards on a node at once, by resource use. A node always takes two: they share the node's processes, and the second
 * fills them while the first ends. While a tenth of the cores is idle, others may start, up to four; more would only
 * delay each. A fifth of the memory stays free, since Lean's processes grow. A shard's load shows only some seconds
 * after its start, so the next one waits until then.
 */
const LEAN_TUNER: WorkerTuner = {
  tunerOptions: { targetCpuUsage: 0.9, targetMemoryUsage: 0.8 },
  activityTaskSlotOptions: { minimumSlots: 2, maximumSlots: 4, rampThrottle: '3 seconds' },
};

/** Runs until SIGINT or SIGTERM; `onReady` is called once every worker polls. */
export async function runWorkers(
  roles: readonly WorkerRole[],
  settings: WorkerSettings,
  ports: AssembledPorts,
  onReady: () => void,
): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('WARN'),
    shutdownSignals: ['SIGINT', 'SIGTERM'],
    ...(settings.metricsAddress !== null && { telemetryOptions: prometheusExport(settings.metricsAddress) }),
  });
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const connection = await untilServer(
    connectionOptions.address ?? DEFAULT_TEMPORAL_ADDRESS,
    () => NativeConnection.connect(connectionOptions),
    (line) => console.error(line),
  );
  const workers: RunnableWorker[] = [];
  try {
    const common = {
      connection,
      namespace,
      interceptors: { activity: [edgeInterceptors] },
      shutdownGraceTime: '2 seconds',
      maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS_MAX,
    };
    if (roles.includes('host') || roles.includes('lean')) await endLeftovers(ports);
    if (roles.includes('control')) {
      const codePath = await workflowBundle(settings.cacheDirectory);
      // The worker serves all other runs; these wait for a worker that can continue them.
      await reportUnfollowable(new Client({ connection, namespace }), codePath, (line) => console.error(line)).catch(
        (error: unknown) => console.error(`open runs were not looked at: ${(error as Error).message}`),
      );
      workers.push(
        await Worker.create({
          ...common,
          taskQueue: CONTROL_QUEUE,
          workflowBundle: { codePath },
          activities: createControlActivities(ports),
        }),
      );
      // A server without schedules can serve runs too, since they clean up after themselves.
      await scheduleJanitor(connection, namespace).catch((error: unknown) =>
        console.error(`the janitor is not scheduled: ${(error as Error).message}`),
      );
    }
    if (roles.includes('host'))
      workers.push(
        await Worker.create({
          ...common,
          taskQueue: localHostQueue(),
          activities: createHostActivities(ports),
          maxConcurrentActivityTaskExecutions: HOST_ACTIVITIES_MAX,
        }),
      );
    if (roles.includes('lean')) {
      workers.push(
        await leanWorker({
          create: (onFull) =>
            Worker.create({
              ...common,
              interceptors: { activity: [edgeInterceptors, sharedQueueInterceptors(onFull)] },
              taskQueue: LEAN_QUEUE,
              activities: createLeanActivities(ports),
              tuner: LEAN_TUNER,
            }),
          freeBytes: () => freeBytesOf(settings.scratchDirectory),
          say: (line) => console.error(line),
        }),
      );
      // A clean-up is addressed to a node, also to one that only checks.
      if (!roles.includes('host'))
        workers.push(
          await Worker.create({ ...common, taskQueue: localHostQueue(), activities: createNodeActivities(ports) }),
        );
    }
    await runTogether(workers, onReady);
  } finally {
    await ports.close();
    await connection.close();
  }
}

/** Ends leftovers of dead workers on this machine. A failure is only reported. */
async function endLeftovers(ports: AssembledPorts): Promise<void> {
  try {
    const { processesEnded, memoryBytesFreed } = await ports.nodes.sweep(null);
    if (processesEnded > 0)
      console.error(
        `ended ${processesEnded} processes of workers that are gone (${(memoryBytesFreed / 1e6).toFixed(0)} MB)`,
      );
  } catch (error) {
    console.error(error instanceof StpError ? error.toText() : error);
  }
}
