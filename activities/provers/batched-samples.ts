/**
 * Joins requests of several callers into one call of the generator at a time. Requests made during a call wait for the
 * next one.
 */
import type { Completion, Generator, SampleRequest, SamplingOptions } from '@stp/language-model';

interface PendingSamples {
  readonly requests: readonly SampleRequest[];
  readonly answer: PromiseWithResolvers<readonly Completion[]>;
}

export class BatchedSamples {
  /** Total time of the calls so far. */
  modelMs = 0;
  calls = 0;
  readonly #call: (requests: readonly SampleRequest[]) => Promise<readonly Completion[]>;
  #waiting: PendingSamples[] = [];
  #isCalling = false;

  constructor(generator: Pick<Generator, 'sample'>, sampling: SamplingOptions, signal: AbortSignal) {
    this.#call = (requests) => generator.sample(requests, sampling, { signal });
  }

  /** Completions in the order of the requests. */
  sample(requests: readonly SampleRequest[]): Promise<readonly Completion[]> {
    const answer = Promise.withResolvers<readonly Completion[]>();
    this.#waiting.push({ requests, answer });
    void this.#work();
    return answer.promise;
  }

  async #work(): Promise<void> {
    if (this.#isCalling) return;
    this.#isCalling = true;
    // Requests of the same iteration of the event loop join the first call.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      const began = performance.now();
      try {
        const completions = await this.#call(asked.flatMap(({ requests }) => requests));
        let from = 0;
        for (const { requests, answer } of asked) {
          answer.resolve(completions.slice(from, from + requests.length));
          from += requests.length;
        }
      } catch (error) {
        for (const { answer } of asked) answer.reject(error);
      }
      this.calls += 1;
      this.modelMs += performance.now() - began;
    }
    this.#isCalling = false;
  }
}
