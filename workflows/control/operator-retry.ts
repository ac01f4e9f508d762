/** Work that may fail without failing the run: tried until it is done, or a person gives it up or ends the run. */
import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, isCancellation, log } from '@temporalio/workflow';
import type { RunState } from '../../activities/run/run-state.ts';
import { rootMessage } from './causes.ts';
import type { Stage } from './contracts.ts';
import type { RunControl } from './run-control.ts';
import type { RunStatus } from './run-status.ts';

/** Characters that are kept of the message of a failure. */
const FAILURE_CHARS_MAX = 2_000;

export interface Attempted<T> {
  /** Null where a person gave it up. */
  readonly result: T | null;
  readonly failures: RunState['failures'];
}

/**
 * Enters the stage and does the work. On a failure the run says what went wrong and waits for `retryRound` (again),
 * `skipRound` (null) or `abort` (the run fails); work that is done is not done again, since every activity finds its result.
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
