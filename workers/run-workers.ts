/**
 * Makes and runs Temporal workers: control (workflows, short activities), host (models, a node's own queue) and Lean (checks,
 * a queue that all nodes share).
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

/** Sampling, a training, what is written and cleaned beside them: more at once would only fight for the cores. */
const HOST_ACTIVITIES_MAX = 4;

/**
 * Shards on a node at once, by the resource they use. A node always takes two, at any load: they share the node's
 * processes, and the second fills them while the first ends (at 10 ms a proof one at a time costs 7.5 % of a node with
 * two processes and 25 % of one with eight, two cost 2 to 3 %). While a tenth of the cores is idle, others may begin;
 * more than four would only make each later. A fifth of the memory stays free: Lean's processes grow while they work. A
 * shard shows in the load some seconds after it has begun, and so long none follows it.
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
      // It works for all other runs; these wait for a worker that can follow them.
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
      // A server that takes no schedules serves runs all the same: they clean up after themselves.
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
      // Clean-up is asked of a node by name, also where it does nothing but check.
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

/** Ends what dead workers of this machine have left behind. One that cannot end it says so and works on. */
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
