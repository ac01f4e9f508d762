/**
 * The `Generator` port: prompts in, samples with log-probabilities out. Embedded ONNX, llama.cpp, or OpenAI-compatible
 * servers.
 */
import type { ChatMessage, TypedGrammar } from '@stp/config/records';

export interface SampleRequest {
  readonly id: string;
  readonly prompt: string;
  /**
   * For a chat: the messages that `prompt` contains as text. Engines with a chat endpoint use the messages, others
   * the text.
   */
  readonly messages?: readonly ChatMessage[];
  /** Seed of this sample: the result depends on (checkpoint, prompt, options, seed), never on other samples. */
  readonly seed: number;
  /** The completion must be an equation of this grammar. Engines without support for grammars throw STP1002. */
  readonly grammar?: TypedGrammar;
  /**
   * The completion must follow this grammar in llama.cpp's form (GBNF, from `root`). Other engines do not support it.
   */
  readonly gbnf?: string;
}

export interface SamplingOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /**
   * Texts that end a completion, which is cut before the one that is complete first. At most `STOPS_MAX` texts of at
   * most `STOP_CHARS_MAX` characters. `tokens` and `logprob` include the tokens of a stop text.
   */
  readonly stop?: readonly string[];
  /** Requests `Completion.tokenLogprobs`. */
  readonly tokenLogprobs?: boolean;
  /** Number of most likely tokens to return at each position, with `tokenLogprobs`; at most `TOP_LOGPROBS_MAX`. */
  readonly topLogprobs?: number;
}

/** OpenAI's limit. */
export const TOP_LOGPROBS_MAX = 5;

export const STOPS_MAX = 8;
export const STOP_CHARS_MAX = 64;

export interface TokenLogprob {
  /** Text of the token alone. Bytes that are not valid UTF-8 by themselves become U+FFFD. */
  readonly token: string;
  /** Natural log-probability, at temperature 1. */
  readonly logprob: number;
  /** The most likely tokens at this position, if requested. */
  readonly top?: readonly Omit<TokenLogprob, 'top'>[];
}

export interface Completion {
  readonly id: string;
  readonly text: string;
  /** Number of chosen tokens, including end-of-text and the tokens of a stop text. */
  readonly tokens: number;
  /** Number of prompt tokens, if the engine reports it. */
  readonly promptTokens?: number;
  /**
   * Sum of the chosen tokens' natural log-probabilities, end-of-text included, at temperature 1; null if the server
   * does not report it.
   */
  readonly logprob: number | null;
  /** `stop`: the model or a stop text ended it. */
  readonly finish: 'stop' | 'length';
  /** One entry for each chosen token, summing to `logprob`; set if requested. */
  readonly tokenLogprobs?: readonly TokenLogprob[];
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /** Called with the totals so far, at least once every few seconds while the engine makes progress. */
  readonly onProgress?: (progress: { completions: number; tokens: number }) => void;
  /**
   * Called with each finished completion, in any order; `index` is that of its request. An exception fails the call.
   */
  readonly onCompletion?: (index: number, completion: Completion) => void;
  /**
   * Called with text as it is decoded, in whole characters. The pieces of one index in order make up its text, and all
   * come before its `onCompletion`. An exception fails the call.
   */
  readonly onText?: (index: number, delta: string) => void;
  /**
   * Called with the text so far of a completion. Returning true ends the completion as if the model had ended it.
   * Engines that receive only whole completions do not call it.
   */
  readonly isComplete?: (index: number, text: string) => boolean;
}

/** Facts about a generator's model. */
export interface ModelFacts {
  /** The model's name in records: the checkpoint's `model`, or the name that a server gives it. */
  readonly name: string;
  /** Prompt and completion together, tokens. */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Length of an embedding. */
  readonly hiddenSize: number;
}

/** Maximum tokens of a text that an embedding reads, unless the context is shorter (STP, arXiv 2502.00212, §2.8). */
export const EMBEDDING_TOKENS_MAX = 512;

export interface Generator {
  readonly model: ModelFacts;
  /** Returns completions in the order of the requests. Equal prompts are read once. */
  sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options?: GenerateOptions,
  ): Promise<readonly Completion[]>;
  /**
   * Returns one vector of `model.hiddenSize` numbers for each text, in order: the mean over the text's tokens of the
   * last hidden layer (after the final norm), scaled to L2 norm 1. A text without tokens gives zeros. A vector depends
   * only on its text.
   */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
  /** Ends the engine's process. */
  close(): Promise<void>;
}

/** Opens the engine on a checkpoint folder (config.json, model.safetensors, tokenizer.json). */
export type GeneratorFactory = (checkpointDirectory: string) => Promise<Generator>;
