/** Handlers by which people steer a run: pause, resume, stop after a round, and a decision about a failed round. */
import { ApplicationFailure, condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import * as contracts from './contracts.ts';

export type Decision = 'retry' | 'skip' | 'abort';

/** State carried over a continue-as-new. */
export interface Steered {
  readonly paused: boolean;
  readonly stopping: boolean;
}

export class RunControl {
  paused: boolean;
  stopping: boolean;
  /** Workflow id of the current round. */
  child: string | null = null;
  /** The failure, while the run waits for a decision. */
  failure: string | null = null;
  #decision: Decision | null = null;

  constructor(carried?: Steered) {
    this.paused = carried?.paused ?? false;
    this.stopping = carried?.stopping ?? false;
    const refuseWhen = (refused: boolean, why: string): void => {
      if (refused) throw ApplicationFailure.nonRetryable(why);
    };
    setHandler(contracts.pauseUpdate, () => this.#setPaused(true, 'pauses before the next shard or stage'), {
      validator: () => refuseWhen(this.paused, 'the run is paused already'),
      description: 'Start nothing new until resume; what runs is finished.',
    });
    setHandler(contracts.resumeUpdate, () => this.#setPaused(false, 'goes on'), {
      validator: () => refuseWhen(!this.paused, 'the run is not paused'),
      description: 'Go on after pause.',
    });
    const stop = (): string => {
      this.stopping = true;
      return 'ends after this round, with evaluation and report';
    };
    setHandler(contracts.stopAfterRoundUpdate, stop, {
      validator: () => refuseWhen(this.stopping, 'the run is stopping already'),
      description: 'End after the current round, with evaluation and report.',
    });
    const decide = (decision: Decision, said: string) => (): string => {
      this.#decision = decision;
      return said;
    };
    const validator = (): void =>
      refuseWhen(this.failure === null || this.#decision !== null, 'nothing waits for a decision');
    setHandler(contracts.retryRoundUpdate, decide('retry', 'runs the failed step again; finished work is kept'), {
      validator,
      description: 'Run the failed step again; finished work is kept.',
    });
    setHandler(contracts.skipRoundUpdate, decide('skip', 'goes on without the failed step'), {
      validator,
      description:
        'Leave the failed step out. The next round keeps the model from before it. Leaving out the report fails the run.',
    });
    setHandler(contracts.abortUpdate, decide('abort', 'ends the run'), {
      validator,
      description: 'Fail the run; nodes are cleaned and given back.',
    });
  }

  readonly isOpen = (): boolean => !this.paused;

  /** Waits for a person's decision about a failed step: a round, a retraining, an evaluation or the report. */
  async awaitDecision(failure: string): Promise<Decision> {
    this.failure = failure;
    this.#decision = null;
    await condition(() => this.#decision !== null);
    this.failure = null;
    return this.#decision!;
  }

  async #setPaused(value: boolean, said: string): Promise<string> {
    this.paused = value;
    if (this.child !== null)
      // A round that ends at this moment cannot receive the signal and does not need it.
      await getExternalWorkflowHandle(this.child)
        .signal(contracts.setPausedSignal, value)
        .catch(() => undefined);
    return said;
  }
}
