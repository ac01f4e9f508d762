/**
 * Waits by Temporal's retries: an activity that finds something missing fails on purpose and sets the delay of its next
 * attempt. The server counts such attempts but does not write them into the workflow's history, so the length of a wait
 * does not matter. The UI shows the last answer at the pending activity.
 */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { pauseAfterLook } from '../../infra/nodes/looking.ts';

/** Failed calls are retried for at least this long, ms, also if the wait itself is over. */
const FAILURES_MS_MIN = 15 * 60_000;

/** Scheduled time of this attempt by the server's clock, which is the workflow's too; ms since 1970. */
const attemptMs = (): number => activityInfo().currentAttemptScheduledTimestampMs;

/** Is there time for another attempt before `untilMs`? Null: always. */
const isTimeLeft = (untilMs: number | null): boolean =>
  untilMs === null || attemptMs() + pauseAfterLook(activityInfo().attempt) <= untilMs;

/** Polls `look` until `isWaiting` returns null for its answer, or until `untilMs`. Returns the last answer. */
export async function lookUntil<Answer>(
  untilMs: number | null,
  look: (number: number) => Promise<Answer>,
  isWaiting: (answer: Answer, number: number) => string | null,
): Promise<Answer> {
  const { attempt } = activityInfo();
  const answer = await look(attempt);
  const reason = isWaiting(answer, attempt);
  if (reason === null || !isTimeLeft(untilMs)) return answer;
  throw ApplicationFailure.create({
    message: reason,
    type: 'STP_WAITING',
    nextRetryDelay: pauseAfterLook(attempt),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Makes a temporary failure of `work` final after it was retried for long enough. */
export async function finalAfter<T>(untilMs: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isWaiting = error instanceof ApplicationFailure && error.type === 'STP_WAITING';
    const endMs = Math.max(untilMs, activityInfo().scheduledTimestampMs + FAILURES_MS_MIN);
    if (isWaiting || attemptMs() < endMs) throw error;
    throw ApplicationFailure.nonRetryable((error as Error).message, (error as { code?: string }).code ?? null);
  }
}
