/** Finished samples of calls that failed, so that the next try of the same call does not sample them again. */
import type { Completion, SampleRequest, SamplingOptions } from '../../generator.ts';
import type { SamplingCall } from './sampling-call.ts';

/** Some hundred bytes each; beyond that they are sampled again. */
const SAMPLES_MAX = 100_000;

export class KeptSamples {
  readonly #samples = new Map<string, Completion>();

  /** Holes in the results are samples that did not come to an end. */
  keep(call: Pick<SamplingCall, 'requests' | 'sampling' | 'results'>): void {
    call.results.forEach((completion, index) => {
      if (this.#samples.size < SAMPLES_MAX)
        this.#samples.set(identityOf(call.requests[index]!, call.sampling), completion);
    });
  }

  /** What was kept for this request, which is then no longer kept: the caller has it. */
  take(request: SampleRequest, sampling: SamplingOptions): Completion | null {
    if (this.#samples.size === 0) return null;
    const identity = identityOf(request, sampling);
    const kept = this.#samples.get(identity);
    if (kept === undefined) return null;
    this.#samples.delete(identity);
    return { ...kept, id: request.id };
  }
}

/** All that a sample depends on beside the checkpoint. */
function identityOf({ prompt, seed }: SampleRequest, sampling: SamplingOptions): string {
  const { temperature, topP, maxTokens, stop = [], tokenLogprobs = false } = sampling;
  return JSON.stringify([seed, temperature, topP, maxTokens, stop, tokenLogprobs, prompt]);
}
