/** The one engine that this machine keeps ready to sample, and the lock under which engines work. */
import { Semaphore } from '@stp/base';
import type { Generator } from '@stp/language-model';

export interface Sampler {
  /** Returns the generator for a checkpoint folder. */
  readonly of: (directory: string) => Pick<Generator, 'sample' | 'embed'>;
  close(): Promise<void>;
}

interface Warm {
  readonly run: string;
  /** Requests with the same key can use the same engine. */
  readonly key: string;
  readonly sampler: Sampler;
}

export class WarmSampler {
  readonly #lock = new Semaphore();
  #warm: Warm | null = null;

  /** Runs work while no other engine works on this machine. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.run(1, work);
  }

  /**
   * Runs work while no other engine works or waits: a training needs the memory that an idle engine holds for weights,
   * moments and activations.
   */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.exclusive(async () => {
      await this.close();
      return work();
    });
  }

  /** Returns the engine that has the key. Another one is ended before `open` is called. */
  async take(run: string, key: string, open: () => Promise<Sampler>): Promise<Sampler> {
    if (this.#warm?.key === key) return this.#warm.sampler;
    await this.close();
    this.#warm = { run, key, sampler: await open() };
    return this.#warm.sampler;
  }

  /** Ends the engine if it belongs to a run that `isOf` selects. */
  async release(isOf: (run: string) => boolean): Promise<void> {
    if (this.#warm !== null && isOf(this.#warm.run)) await this.close();
  }

  /** Never rejects: an engine that cannot be ended well is given up, and the operator is told. */
  async close(): Promise<void> {
    const closing = this.#warm;
    this.#warm = null;
    await closing?.sampler.close().catch((error: unknown) => {
      console.error(`an engine of run ${closing.run} did not end well: ${(error as Error).message}`);
    });
  }
}
