/**
 * Turns errors of the project into Temporal failures, at the boundary of every activity. The failure's type is the
 * error code, so the UI can search for it. Errors that no retry can repair are not retried.
 */

import { describeIssues, type ErrorCode, StpError } from '@stp/base';
import { isDiskFull } from '@stp/base/files';
import { HEARTBEAT_TIMEOUT_MS } from '@stp/config/records';
import { ApplicationFailure, activityInfo, CancelledFailure, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { ZodError } from 'zod';
import { pauseForSpace } from './full-disk.ts';

/**
 * @param attempt number of the activity's attempt, from 1; it determines the delay before a full disk is tried again
 */
export function toFailure(error: unknown, attempt = 1): unknown {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (isDiskFull(error))
    return diskFull(
      error,
      'Free space there. Unless another machine takes the work, it is tried again for 81 minutes, and then waits for retryRound',
      pauseForSpace(attempt),
    );
  if (error instanceof StpError)
    return ApplicationFailure.create({
      message: `${error.message}. ${error.advice}`,
      type: error.code,
      nonRetryable: !error.retryable,
      details: [error.facts],
      cause: error,
    });
  if (error instanceof ZodError) return ApplicationFailure.nonRetryable(describeIssues(error), 'STP1001');
  if (error instanceof Error && 'code' in error && error.code === 'EROFS')
    return ApplicationFailure.create({
      message: `${error.message}. Mount the file system so that it can be written to, then retry the round.`,
      type: 'STP1401',
      nonRetryable: true,
      cause: error,
    });
  return error;
}

/**
 * A full disk has an error code of its own: if other machines can do the work, the work does not wait for space on this
 * one.
 */
function diskFull(error: unknown, advice: string, nextRetryDelay: number): ApplicationFailure {
  const { message, facts } = error instanceof StpError ? error : { message: String(error), facts: {} };
  return ApplicationFailure.create({
    message: `${message}. ${advice}.`,
    type: 'STP1406' satisfies ErrorCode,
    nextRetryDelay,
    details: [facts],
    cause: error as Error,
  });
}

export const edgeInterceptors: ActivityInterceptorsFactory = (_context: Context) => ({
  inbound: {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        throw toFailure(error, activityInfo().attempt);
      }
    },
  } satisfies ActivityInboundCallsInterceptor,
});

/**
 * Interceptors for a queue that machines share, below `edgeInterceptors`. A worker with a full disk takes no more tasks
 * (`onFull`), so the task is retried elsewhere without a wait.
 */
export const sharedQueueInterceptors =
  (onFull: () => void): ActivityInterceptorsFactory =>
  () => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (!isDiskFull(error)) throw error;
          onFull();
          throw diskFull(error, 'Free space there: other machines do the work, or this one when there is space', 1_000);
        }
      },
    } satisfies ActivityInboundCallsInterceptor,
  });

/**
 * Heartbeats sent in one heartbeat timeout: every 1.5 s of the usual 20 s. A cancellation arrives with a heartbeat's
 * answer, and Lean must hear of it within 3 s. Half of that time is left for ending processes. A workflow with hundreds
 * of open activities gives them a longer timeout, so they beat less often and hear of a cancellation later (`lean` in
 * `workflows/control/activity-proxies.ts`). The worker must not throttle them (`HEARTBEAT_THROTTLE_MS_MAX`).
 */
const HEARTBEATS_PER_TIMEOUT = 13;

/**
 * The SDK holds heartbeats back for up to 0.8 of their timeout, 16 s of our 20 s. With this limit it sends every one.
 */
export const HEARTBEAT_THROTTLE_MS_MAX = 1_000;

/**
 * Runs long work under heartbeats that carry its progress. The work gets a signal that a cancellation or a lost
 * activity raises, a function to report progress, and the last progress of the previous attempt (undefined in the first
 * attempt).
 */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal, report: (progress: unknown) => void, earlier: unknown) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const earlier: unknown = activityInfo().heartbeatDetails;
  // Until this attempt reports progress, its heartbeats repeat that of the previous attempt.
  let progress: unknown = earlier ?? { attempt: activityInfo().attempt };
  const { heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS } = activityInfo();
  const timer = setInterval(() => context.heartbeat(progress), heartbeatTimeoutMs / HEARTBEATS_PER_TIMEOUT);
  const { cancellationSignal } = context;
  try {
    const report = (latest: unknown): void => {
      progress = latest;
    };
    return await work(cancellationSignal, report, earlier);
  } catch (error) {
    if (cancellationSignal.aborted) throw new CancelledFailure('the activity was cancelled', [], error as Error);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
