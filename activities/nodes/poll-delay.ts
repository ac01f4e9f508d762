/**
 * Waits by Temporal's retries: an activity that finds something missing fails on purpose and says when to try it again.
 * The server counts such attempts and writes none of them into the workflow's history, so a wait of a month costs as
 * much history as one of a minute. The UI shows the last answer at the pending activity.
 */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { pauseAfterLook } from '../../infra/nodes/looking.ts';

/** Failures of calls are tried again for so long at least, also where the waiting itself is over. */
const FAILURES_MS_MIN = 15 * 60_000;

/** This attempt's time by the server's clock, which is the workflow's as well. ms since 1970 */
const attemptMs = (): number => activityInfo().currentAttemptScheduledTimestampMs;

/** Is there time for another attempt before `untilMs`? Null: always. */
const isTimeLeft = (untilMs: number | null): boolean =>
  untilMs === null || attemptMs() + pauseAfterLook(activityInfo().attempt) <= untilMs;

/** The answer of `look`; while `isWaiting` says why it is not the one that is waited for, another look later, until `untilMs`. */
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

/** A failure of `work` that could pass is final where it has been tried for long enough. */
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
