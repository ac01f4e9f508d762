/**
 * Work whose failure does not fail the run: it is repeated until it succeeds, or a person skips it or aborts the run.
 */
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, isCancellation, log } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { rootMessage } from './causes.ts';
import type { Stage } from './contracts.ts';
import type { RunControl } from './run-control.ts';
import type { RunStatus } from './run-status.ts';

/** Length to which the message of a failure is cut. */
const FAILURE_CHARS_MAX = 2_000;

export interface Attempted<T> {
  /** Null if a person skipped it. */
  readonly result: T | null;
  readonly failures: RunState['failures'];
}

/**
 * Enters the stage and does the work. On a failure the run shows what went wrong and waits for `retryRound` (repeats
 * it), `skipRound` (returns null) or `abort` (fails the run). Finished work is not repeated, since every activity finds
 * its result.
 */
export async function runWithOperatorRetry<T>(
  stage: Stage,
  label: string,
  steering: RunControl,
  status: RunStatus,
  work: () => Promise<T>,
): Promise<Attempted<T>> {
  const failures: RunState['failures'] = [];
  for (;;) {
    status.enter(stage, label);
    try {
      return { result: await work(), failures };
    } catch (error) {
      const isFailure = error instanceof ChildWorkflowFailure || error instanceof ActivityFailure;
      if (isCancellation(error) || !isFailure) throw error;
      const failure = rootMessage(error);
      log.warn('work failed and waits for a decision', { stage, round: status.round, failure });
      status.enter(
        stage,
        `${label} **FAILED**: ${failure}\n\nSend the update \`retryRound\`, \`skipRound\` or \`abort\`.`,
      );
      const decision = await steering.awaitDecision(failure);
      const message = (stage === 'round' ? failure : `${stage}: ${failure}`).slice(0, FAILURE_CHARS_MAX);
      failures.push({ round: status.round, message, decision });
      if (decision === 'abort')
        throw ApplicationFailure.nonRetryable(`aborted: ${label} failed: ${failure}`, 'STP_ABORTED');
      if (decision === 'skip') return { result: null, failures };
    }
  }
}
