/** The activities as workflows call them: queue, timeouts and retries by kind of work, and a summary for the UI. */

import { HEARTBEAT_TIMEOUT_MS } from '@stp/config/workflow';
import { proxyActivities } from '@temporalio/workflow';
import type { ControlActivities, HostActivities, LeanActivities, NodeActivities } from '../../activities/index.ts';
import { LEAN_QUEUE } from './contracts.ts';

const RETRY = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '30 seconds',
  maximumAttempts: 5,
} as const;

/**
 * For reads and writes of the store that take seconds on a laptop. An activity whose worker is lost starts again after
 * this timeout.
 */
export const control = (summary: string) =>
  proxyActivities<ControlActivities>({ startToCloseTimeout: '5 minutes', retry: RETRY, summary });

/**
 * For passes over all samples or proofs of a round or a run. As `control`, but without a limit on time and with
 * heartbeats.
 */
export const streaming = (summary: string) =>
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: RETRY,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/** Type of the failure for a full disk (`packages/base/errors.ts`). */
export const DISK_FULL = 'STP1406';

/**
 * Prefix of the queues of cloud machines, which may disappear (`infra/nodes/names.ts`). If no worker takes a task in
 * time, the machine is gone.
 */
const CLOUD_QUEUES = 'host/';

/**
 * For work on a node. Heartbeats come every 1.5 s, so after 20 s without one the worker counts as lost. The activity
 * then starts again on another node, or on this one when its worker is back.
 */
export const host = (taskQueue: string, summary: string) =>
  proxyActivities<HostActivities>(hostOptions(taskQueue, summary));

const hostOptions = (taskQueue: string, summary: string) =>
  ({
    taskQueue,
    ...(taskQueue.startsWith(CLOUD_QUEUES) ? { scheduleToStartTimeout: '1 hour' } : {}),
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: RETRY,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  }) as const;

/**
 * For work on a node that another node can do too. If no worker takes the task soon, or the disk is full, it goes to
 * another node.
 */
export const oneOfSeveral = (taskQueue: string, summary: string) =>
  proxyActivities<HostActivities>({
    ...hostOptions(taskQueue, summary),
    scheduleToStartTimeout: '2 minutes',
    retry: { ...RETRY, nonRetryableErrorTypes: [DISK_FULL] },
  });

/**
 * Up to this many activities in flight, heartbeats keep their usual pace. Beyond it they slow down to about 26 a second
 * in total, because each is a sequential write to the state of one workflow. A worker hears of a cancellation with its
 * next heartbeat: within 1.5 s with 40 in flight, within 15.4 s with 400.
 */
const IN_FLIGHT_AT_USUAL_PACE_MAX = 40;

/**
 * For checks by Lean, on whichever node is free. The input is given by reference, so every such node must reach the
 * store.
 *
 * @param inFlight most activities of this kind that the workflow has open at once
 */
export const lean = (summary: string, inFlight = 1) =>
  proxyActivities<LeanActivities>({
    taskQueue: LEAN_QUEUE,
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS * Math.max(1, inFlight / IN_FLIGHT_AT_USUAL_PACE_MAX),
    retry: RETRY,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/**
 * For a node that may be gone. A live worker takes the task at once, so the node counts as gone if no worker takes it
 * soon.
 */
export const nodeIfThere = (taskQueue: string, summary: string) =>
  proxyActivities<NodeActivities>({
    taskQueue,
    scheduleToStartTimeout: '10 seconds',
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { ...RETRY, maximumAttempts: 2 },
    summary,
  });
