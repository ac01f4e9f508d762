/** One call for samples: its results so far, and its reports to the caller. */
import type { Completion, GenerateOptions, SampleRequest, SamplingOptions } from '../../generator.ts';

export class SamplingCall {
  readonly requests: readonly SampleRequest[];
  readonly sampling: SamplingOptions;
  readonly results: Completion[];
  readonly options: GenerateOptions;
  /** Keys of the samples that processes have not returned yet. */
  readonly keys = new Set<number>();
  #done = 0;
  #tokens = 0;

  constructor(requests: readonly SampleRequest[], sampling: SamplingOptions, options: GenerateOptions) {
    this.requests = requests;
    this.sampling = sampling;
    this.options = options;
    this.results = new Array<Completion>(requests.length);
  }

  get isDone(): boolean {
    return this.#done === this.requests.length;
  }

  get isStreamed(): boolean {
    return this.options.onText !== undefined;
  }

  show(index: number, delta: string): void {
    this.options.onText?.(index, delta);
  }

  finish(index: number, completion: Completion): void {
    this.results[index] = completion;
    this.#done++;
    this.#tokens += completion.tokens;
    this.options.onCompletion?.(index, completion);
  }

  report(): void {
    this.options.onProgress?.({ completions: this.#done, tokens: this.#tokens });
  }
}
