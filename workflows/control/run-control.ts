/** Handlers by which people steer a run: pause, resume, stop after a round, and a decision about a failed round. */
import { ApplicationFailure, condition, getExternalWorkflowHandle, setHandler } from '@temporalio/workflow';
import * as contracts from './contracts.ts';

export type Decision = 'retry' | 'skip' | 'abort';

/** State for a continue-as-new. */
export interface Steered {
  readonly paused: boolean;
  readonly stopping: boolean;
  readonly pausedBecause: string | null;
  readonly usdMax: number | null;
}

export class RunControl {
  paused: boolean;
  /** Why the run paused by itself; null where a person paused it, or nobody did. */
  pausedBecause: string | null;
  stopping: boolean;
  /** USD that the run may cost: what was set last, else the configuration's; null: no bound. */
  usdMax: number | null;
  /** USD, when it was last compared with the bound. */
  usdSpent = 0;
  /** Workflow id of the round that runs now. */
  child: string | null = null;
  /** The failure, while the run waits for a decision. */
  failure: string | null = null;
  private decision: Decision | null = null;

  constructor(carried?: Steered) {
    this.paused = carried?.paused ?? false;
    this.pausedBecause = carried?.pausedBecause ?? null;
    this.stopping = carried?.stopping ?? false;
    this.usdMax = carried?.usdMax ?? null;
    const refuseWhen = (refused: boolean, why: string): void => {
      if (refused) throw ApplicationFailure.nonRetryable(why);
    };
    setHandler(contracts.pauseUpdate, () => this.setPaused(true, 'pauses before the next shard or stage'), {
      validator: () => refuseWhen(this.paused, 'the run is paused already'),
      description: 'Start nothing new until resume; what runs is finished.',
    });
    setHandler(contracts.resumeUpdate, () => this.setPaused(false, 'goes on'), {
      validator: () => {
        refuseWhen(!this.paused, 'the run is not paused');
        const spent = this.pausedBecause !== null && this.usdMax !== null && this.usdSpent >= this.usdMax;
        refuseWhen(spent, `${this.pausedBecause}: send the update setBudget with a higher sum, in USD`);
      },
      description: 'Go on after pause.',
    });
    setHandler(contracts.setBudgetUpdate, (usd) => this.setBudget(usd), {
      validator: (usd) => {
        refuseWhen(this.usdMax === null, 'the run has no budget (budget.usdMax): nobody counts what it costs');
        refuseWhen(typeof usd !== 'number' || !Number.isFinite(usd), 'the budget is a number of USD, such as 20');
        refuseWhen(usd <= this.usdSpent, `the run has cost ${this.usdSpent.toFixed(2)} USD already: set a higher sum`);
      },
      description: 'Set what the run may cost in all, in USD; goes on if it paused at its budget.',
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
      this.decision = decision;
      return said;
    };
    const validator = (): void =>
      refuseWhen(this.failure === null || this.decision !== null, 'no round waits for a decision');
    setHandler(contracts.retryRoundUpdate, decide('retry', 'tries the round again; finished shards are kept'), {
      validator,
      description: 'Run the failed round again; finished shards are not done again.',
    });
    setHandler(contracts.skipRoundUpdate, decide('skip', 'goes on without the round'), {
      validator,
      description: 'Go on with the next round and the model from before the failed one.',
    });
    setHandler(contracts.abortUpdate, decide('abort', 'ends the run'), {
      validator,
      description: 'Fail the run; nodes are cleaned and given back.',
    });
  }

  readonly isOpen = (): boolean => !this.paused;

  /** Pauses as a person would, and says why. */
  async pauseFor(reason: string): Promise<void> {
    await this.setPaused(true, '');
    this.pausedBecause = reason;
  }

  /** Ends such a pause. */
  async goOn(): Promise<void> {
    if (this.pausedBecause !== null) await this.setPaused(false, '');
  }

  private setBudget(usd: number): string {
    this.usdMax = usd;
    return `may cost ${usd} USD`;
  }

  /** Waits for a person to decide on a round that failed. */
  async awaitDecision(failure: string): Promise<Decision> {
    this.failure = failure;
    this.decision = null;
    await condition(() => this.decision !== null);
    this.failure = null;
    return this.decision!;
  }

  private async setPaused(value: boolean, said: string): Promise<string> {
    this.paused = value;
    this.pausedBecause = null;
    if (this.child !== null)
      // A round that ends at this very moment cannot take the word any more, and need not.
      await getExternalWorkflowHandle(this.child)
        .signal(contracts.setPausedSignal, value)
        .catch(() => undefined);
    return said;
  }
}
