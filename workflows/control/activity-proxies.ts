/** Activities as workflows see them: queue, time-outs and retries by kind of work, and a summary for the UI. */

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

/** Reads and writes of the store, seconds on a laptop; one whose worker is gone starts again after this. */
export const control = (summary: string) =>
  proxyActivities<ControlActivities>({ startToCloseTimeout: '5 minutes', retry: RETRY, summary });

/** Passes over all samples or proofs of a round or a run: as `control`, but as long as it takes, with heartbeats. */
export const streaming = (summary: string) =>
  proxyActivities<ControlActivities>({
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: RETRY,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary,
  });

/** Type of a failure by a full disk (`packages/base/errors.ts`). */
export const DISK_FULL = 'STP1406';

/** Queues of machines that may go without a word (`infra/nodes/names.ts`): where nobody takes work for so long, they have. */
const CLOUD_QUEUES = 'host/';

/**
 * Work on a node. A lost worker shows by its heartbeats: they come every 1.5 s, so 20 s without one means that it is gone
 * and the activity starts again elsewhere, or here once the worker is back.
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

/** Work on a node that another node can do as well: where nobody takes it soon, or the disk is full, it goes to another. */
export const oneOfSeveral = (taskQueue: string, summary: string) =>
  proxyActivities<HostActivities>({
    ...hostOptions(taskQueue, summary),
    scheduleToStartTimeout: '2 minutes',
    retry: { ...RETRY, nonRetryableErrorTypes: [DISK_FULL] },
  });

/**
 * Above so many activities in flight, heartbeats come the more seldom the more there are, so that there are some 26 a second:
 * each is a write to the state of the one workflow, one after the other. A server on PostgreSQL that got 65 a second answered a
 * third of them after 5 to 20 s. A worker hears of a cancellation with its next heartbeat: within 1.5 s with 40 in flight, within
 * 15.4 s with 400.
 */
const IN_FLIGHT_AT_USUAL_PACE_MAX = 40;

/**
 * Checks by Lean, on whichever node is free. What it works on comes by reference, so every such node must reach the store.
 * @param inFlight activities of this kind that the workflow has open at once, at most
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

/** A node that may be gone: where nobody takes the task soon, it is. A worker that lives takes it at once. */
export const nodeIfThere = (taskQueue: string, summary: string) =>
  proxyActivities<NodeActivities>({
    taskQueue,
    scheduleToStartTimeout: '10 seconds',
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { ...RETRY, maximumAttempts: 2 },
    summary,
  });
