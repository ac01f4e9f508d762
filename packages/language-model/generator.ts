/** The `Generator` port: prompts in, samples with log-probabilities out. Embedded ONNX, llama.cpp, or OpenAI-compatible servers. */
import type { ChatMessage, TypedGrammar } from '@stp/config/records';

export interface SampleRequest {
  readonly id: string;
  readonly prompt: string;
  /** The messages that `prompt` says as text, for a chat. Engines with a chat endpoint use them, others use the text. */
  readonly messages?: readonly ChatMessage[];
  /** Seed of this sample alone: the result depends on (checkpoint, prompt, options, seed), never on its neighbours. */
  readonly seed: number;
  /** The completion is one of its equations. Engines that do not know grammars refuse it with STP1002. */
  readonly grammar?: TypedGrammar;
  /** The completion follows this grammar, as llama.cpp reads them (GBNF, from `root`). Other engines do not know it. */
  readonly gbnf?: string;
}

export interface SamplingOptions {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /**
   * Texts that end a completion: it is cut before the one that is complete first. At most `STOPS_MAX` of at most
   * `STOP_CHARS_MAX` characters. Tokens already chosen stay counted in `tokens` and `logprob`.
   */
  readonly stop?: readonly string[];
  /** Asks for `Completion.tokenLogprobs`. */
  readonly tokenLogprobs?: boolean;
  /** The number of likeliest tokens at each position, with `tokenLogprobs`; at most `TOP_LOGPROBS_MAX`. */
  readonly topLogprobs?: number;
}

/** As OpenAI has it. */
export const TOP_LOGPROBS_MAX = 5;

export const STOPS_MAX = 8;
export const STOP_CHARS_MAX = 64;

export interface TokenLogprob {
  /** Text of the token alone; bytes that are no UTF-8 by themselves appear as U+FFFD. */
  readonly token: string;
  /** Natural, at temperature 1. */
  readonly logprob: number;
  /** The likeliest tokens that could have been chosen instead, if asked for. */
  readonly top?: readonly Omit<TokenLogprob, 'top'>[];
}

export interface Completion {
  readonly id: string;
  readonly text: string;
  /** Tokens chosen, end-of-text and those of a stop text included. */
  readonly tokens: number;
  /** Tokens of the prompt, where the engine says so. */
  readonly promptTokens?: number;
  /** Sum of natural log-probabilities of the chosen tokens, end-of-text included, at temperature 1; null from servers that do not say. */
  readonly logprob: number | null;
  /** `stop`: the model ended it, or a stop text did. */
  readonly finish: 'stop' | 'length';
  /** One entry a chosen token, summing to `logprob`; there when asked for. */
  readonly tokenLogprobs?: readonly TokenLogprob[];
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /** Called with the numbers done so far; at least once every few seconds while the engine makes progress. */
  readonly onProgress?: (progress: { completions: number; tokens: number }) => void;
  /** Called with each completion when it is finished, in any order; `index` is its request's. A throw fails the call. */
  readonly onCompletion?: (index: number, completion: Completion) => void;
  /**
   * Called with text as it is decoded, whole characters only; the pieces of one index in order make up its text, and
   * all come before its `onCompletion`. A throw fails the call.
   */
  readonly onText?: (index: number, delta: string) => void;
  /**
   * Asked with the text so far of a completion: true ends it there, as if the model had. Engines that hear a completion
   * only when it is whole do not ask.
   */
  readonly isComplete?: (index: number, text: string) => boolean;
}

/** Facts of the model behind a generator that a caller may need. */
export interface ModelFacts {
  /** As in records: the checkpoint's `model`, or the name a server gives it. */
  readonly name: string;
  /** Prompt and completion together, tokens. */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** Length of an embedding. */
  readonly hiddenSize: number;
}

/** Tokens of a text that an embedding sees, unless the context is shorter (STP, arXiv 2502.00212, §2.8). */
export const EMBEDDING_TOKENS_MAX = 512;

export interface Generator {
  readonly model: ModelFacts;
  /** Completions in the order of the requests. Equal prompts are prefilled once. */
  sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options?: GenerateOptions,
  ): Promise<readonly Completion[]>;
  /**
   * One vector of `model.hiddenSize` a text, in their order: the mean over the text's tokens of the last hidden layer (after
   * the final norm), at length 1 in L2. A text without tokens gives zeros. What a text gives depends on it alone.
   */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
  /** Ends the engine's process. */
  close(): Promise<void>;
}

/** Opens the engine on a checkpoint folder (config.json, model.safetensors, tokenizer.json). */
export type GeneratorFactory = (checkpointDirectory: string) => Promise<Generator>;
