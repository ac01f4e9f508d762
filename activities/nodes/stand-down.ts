/**
 * Tells activities at once that a workflow no longer needs their work, when heartbeats are too rare for that. The
 * workflow has a small second workflow that ends with its work (`workflows/stand-down.ts`); an activity waits for that
 * end by a long poll, which writes nothing. This reaches every node that checks, also nodes that are not machines of
 * the run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { activityInfo, CancelledFailure, CompleteAsyncError, getClient } from '@temporalio/activity';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { standDownWorkflowId } from '../../data/schemas/heartbeats.ts';

/** `HistoryEventFilterType` of Temporal's API: the event that closes a workflow. */
const CLOSE_EVENT = 2;
/** Code of gRPC. */
const NOT_FOUND = 5;
/** The server answers a long poll within 20 s, with nothing where nothing happened: this one is lost. */
const POLL_MS_MAX = 60_000;
const AGAIN_MS = 5_000;
const SECOND_MS = 1_000;
const NANOSECONDS_PER_MS = 1e6;

/**
 * A signal that is raised when the work of this activity's workflow is to end. Where that cannot be heard it is never
 * raised: the heartbeats' answers say it too, later.
 * @param over ends the listening
 */
export function standDownSignal(over: AbortSignal): AbortSignal {
  const heard = new AbortController();
  listen(over).then(
    (isMeant) => isMeant && heard.abort(new CancelledFailure('the workflow ends its work before its time')),
    () => undefined,
  );
  return heard.signal;
}

/** Resolves with whether this attempt must end; false: no message says so, or the message was for others. */
async function listen(over: AbortSignal): Promise<boolean> {
  const client = getClient();
  const { workflowExecution, currentAttemptScheduledTimestampMs } = activityInfo();
  if (workflowExecution === undefined) return false;
  const workflowId = standDownWorkflowId(workflowExecution.workflowId);
  while (!over.aborted)
    try {
      const closedAtMs = await client.withAbortSignal(over, () => closeTime(client, workflowId));
      // What was scheduled later was begun by a later execution, or after what went wrong was mended.
      return closedAtMs >= currentAttemptScheduledTimestampMs;
    } catch (error) {
      if (isGrpcServiceError(error) && error.code === NOT_FOUND) return false;
      await sleep(AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
    }
  return false;
}

/** Waits until the latest execution under the id is closed; its end by the server's clock, ms since 1970. */
async function closeTime(client: Client, workflowId: string): Promise<number> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | null | undefined;
  for (;;) {
    const answer = await client.withDeadline(Date.now() + POLL_MS_MAX, () =>
      client.workflowService.getWorkflowExecutionHistory({
        ...{ namespace, execution: { workflowId }, waitNewEvent: true, historyEventFilterType: CLOSE_EVENT },
        ...(nextPageToken ? { nextPageToken } : {}),
      }),
    );
    const closed = answer.history?.events?.[0]?.eventTime;
    if (closed) return Number(closed.seconds) * SECOND_MS + Math.floor((closed.nanos ?? 0) / NANOSECONDS_PER_MS);
    nextPageToken = answer.nextPageToken;
  }
}

/**
 * What an activity throws that has stood down. The SDK reports as cancelled only what its own heartbeats have been told of, so
 * it is reported here. The server takes that only where the cancellation was requested; where not, or where it cannot be
 * asked, the activity fails, and is tried again if the server finds that it should be.
 * @param cause what the work ended with
 */
export async function reportStoodDown(cause: unknown): Promise<Error> {
  try {
    await getClient().activity.reportCancellation(activityInfo().taskToken);
    return new CompleteAsyncError();
  } catch {
    return new CancelledFailure('the activity has stood down', [], cause as Error);
  }
}
