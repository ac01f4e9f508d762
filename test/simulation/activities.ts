/**
 * Simulates Temporal's activities with faults. An attempt may fail before or after its effect. It may also be lost: it
 * continues unseen while another attempt is made. Attempts are repeated with pauses, and a cancelled caller does not
 * wait for work in progress.
 */
import { StpError } from '@stp/base';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export interface FaultMix {
  readonly failBefore: number;
  readonly failAfter: number;
  /** Probability that the worker is lost. The attempt then continues, for up to `lateMsMax` after another was made. */
  readonly lost: number;
  readonly lateMsMax: number;
}

const ATTEMPTS_MAX = 20;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** Heartbeat timeout of lost attempts, ms. */
const LOST_AFTER_MS = 20_000;

/** A permanent failure, or the failure of the last attempt. */
export class ActivityFailed extends Error {
  override readonly name = 'ActivityFailed';
}

export class Activities {
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #faults: FaultMix;
  /** Names of the activities that have not ended, whether or not anybody waits for them. */
  readonly underWay = new Set<string>();
  #isFrozen = false;
  #lostAttempts = 0;
  /** Events, which explain a failing seed. */
  readonly log: string[] = [];
  /** Called before each attempt: a person may cancel there. */
  beforeStep: () => void = () => undefined;

  constructor(random: Random, scheduler: Scheduler, faults: FaultMix) {
    this.#random = random;
    this.#scheduler = scheduler;
    this.#faults = faults;
  }

  note(line: string): void {
    this.log.push(`${this.#scheduler.clock.now()} ${line}`);
  }

  /** Returns the result, or throws the last attempt's failure. A cancellation throws at once; the attempt continues. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.underWay.add(name);
    const ended = this.#attempts(name, work).finally(() => this.underWay.delete(name));
    return this.unlessFrozen(this.#scheduler.heard(ended));
  }

  /** The run is terminated: it receives no more events and begins nothing; work in progress continues. */
  freeze(): void {
    this.#isFrozen = true;
  }

  unlessFrozen<T>(work: Promise<T>): Promise<T> {
    const never = new Promise<never>(() => undefined);
    return work.then(
      (result) => (this.#isFrozen ? never : result),
      (error: unknown) => (this.#isFrozen ? never : Promise.reject(error)),
    );
  }

  /** Number of lost attempts without effect so far. */
  get lostAttempts(): number {
    return this.#lostAttempts;
  }

  async #attempts<T>(name: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#scheduler.pause(this.#random.between(1, 500));
      if (this.#isFrozen) return new Promise<never>(() => undefined);
      this.beforeStep();
      try {
        return await this.#attempt(name, work);
      } catch (error) {
        this.note(`${name}: ${(error as Error).message}`);
        if (error instanceof StpError && !error.retryable) throw new ActivityFailed(error.message, { cause: error });
        if (attempt >= ATTEMPTS_MAX) throw new ActivityFailed((error as Error).message, { cause: error });
      }
      await this.#scheduler.pause(Math.min(RETRY_FIRST_MS * 2 ** attempt, RETRY_MAX_MS));
    }
  }

  async #attempt<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { failBefore, failAfter, lost, lateMsMax } = this.#faults;
    if (this.#random.chance(failBefore)) throw new Error('failed before its effect');
    if (this.#random.chance(lost)) {
      const late = this.#random.between(0, lateMsMax);
      this.#lostAttempts += 1;
      this.#scheduler.after(late, () => {
        this.note(`${name}: a lost attempt takes effect`);
        work()
          .catch(() => undefined)
          .finally(() => {
            this.#lostAttempts -= 1;
          });
      });
      await this.#scheduler.pause(LOST_AFTER_MS);
      throw new Error('the worker was lost');
    }
    const result = await work();
    this.note(`${name} done`);
    if (this.#random.chance(failAfter)) throw new Error('failed after its effect');
    return result;
  }
}
