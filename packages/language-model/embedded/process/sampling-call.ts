/** One call for samples: the results so far, and the reports to its caller. Knows no process. */
import type { Completion, GenerateOptions, SampleRequest, SamplingOptions } from '../../generator.ts';

export class SamplingCall {
  readonly requests: readonly SampleRequest[];
  readonly sampling: SamplingOptions;
  readonly results: Completion[];
  readonly options: GenerateOptions;
  /** Samples asked of processes that have not come back, by their keys. */
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
