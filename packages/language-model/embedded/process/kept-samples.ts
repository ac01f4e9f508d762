/** Keeps finished samples of failed calls, so that a retry does not sample them again. */
import { contentId } from '@stp/config/ids';
import type { Completion, SampleRequest, SamplingOptions } from '../../generator.ts';
import type { SamplingCall } from './sampling-call.ts';

/** Maximum size of all kept samples, about a hundred thousand short proofs. Beyond it the oldest are dropped. */
const BYTES_MAX = 64 * 2 ** 20;
/** Size of a sample's record and key, without text and log-probabilities. */
const SAMPLE_BYTES = 320;
/** Size of a token's text and number, as objects. */
const TOKEN_BYTES = 96;

export class KeptSamples {
  /** Kept samples by a hash of everything that a sample depends on; the oldest first. */
  readonly #samples = new Map<string, Completion>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Keeps the call's finished samples. Missing results are unfinished samples. */
  keep(call: Pick<SamplingCall, 'requests' | 'sampling' | 'results'>): void {
    call.results.forEach((completion, index) => {
      const identity = identityOf(call.requests[index]!, call.sampling);
      this.#drop(identity);
      this.#samples.set(identity, completion);
      this.#bytes += bytesOf(completion);
    });
    for (const oldest of this.#samples.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
  }

  /** Removes and returns a sample kept for this request, or null. */
  take(request: SampleRequest, sampling: SamplingOptions): Completion | null {
    if (this.#samples.size === 0) return null;
    const kept = this.#drop(identityOf(request, sampling));
    return kept === undefined ? null : { ...kept, id: request.id };
  }

  #drop(identity: string): Completion | undefined {
    const kept = this.#samples.get(identity);
    if (kept !== undefined) this.#bytes -= bytesOf(kept);
    this.#samples.delete(identity);
    return kept;
  }
}

/** Estimates a sample's size in memory. */
function bytesOf({ text, tokenLogprobs = [] }: Completion): number {
  const tokens = tokenLogprobs.reduce((sum, { top = [] }) => sum + 1 + top.length, 0);
  return SAMPLE_BYTES + 2 * text.length + TOKEN_BYTES * tokens;
}

/** Returns the identity of a request: its prompt and the grammar of its completion. */
export function askedOf({ prompt, grammar, gbnf }: SampleRequest): string {
  return grammar === undefined && gbnf === undefined ? prompt : `${prompt}\0${JSON.stringify([grammar, gbnf])}`;
}

/** Returns everything that a sample depends on beside the checkpoint. */
function identityOf(request: SampleRequest, sampling: SamplingOptions): string {
  const { temperature, topP, maxTokens, stop = [], tokenLogprobs = false, topLogprobs = 0 } = sampling;
  const { seed } = request;
  return contentId(
    JSON.stringify([seed, temperature, topP, maxTokens, stop, tokenLogprobs, topLogprobs]),
    askedOf(request),
  );
}
