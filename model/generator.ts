/** The `Generator` port: prompts in, samples with log-probabilities out. Embedded ONNX here; OpenAI-compatible servers later. */

export interface SampleRequest {
  readonly id: string;
  readonly prompt: string;
  /** Seed of this sample alone: the result depends on (checkpoint, prompt, options, seed), never on its neighbours. */
  readonly seed: number;
}

export interface SamplingOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
}

export interface Completion {
  readonly id: string;
  readonly text: string;
  readonly tokens: number;
  /** Sum of natural log-probabilities of the chosen tokens, end-of-text included, at temperature 1. */
  readonly logprob: number;
  readonly finish: 'stop' | 'length';
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /** Called with the numbers done so far; at least once every few seconds while the engine makes progress. */
  readonly onProgress?: (progress: { completions: number; tokens: number }) => void;
}

export interface Generator {
  /** Completions in the order of the requests. Equal prompts are prefilled once. */
  sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options?: GenerateOptions,
  ): Promise<readonly Completion[]>;
  /** Ends the engine's process. */
  close(): Promise<void>;
}

/** Opens the engine on a checkpoint folder (config.json, model.safetensors, tokenizer.json). */
export type GeneratorFactory = (checkpointDirectory: string) => Promise<Generator>;
