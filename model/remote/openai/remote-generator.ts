/**
 * The `Generator` port over an OpenAI-compatible server: `bin/stp serve`, vLLM and similar ones.
 *
 * A sample is a request of its own, with `n: 1` and its own seed. Lists of prompts do not work, because vLLM gives all
 * of them one seed, and equal prompts under one seed give equal samples. `n` does not work, because the server derives
 * the seeds of its samples, but our samples already have seeds. This costs nothing: such servers batch the requests in
 * flight and keep the prefix of equal prompts.
 *
 * The server determines the effect of a seed: `bin/stp serve` gives the embedded engine's samples; vLLM's arithmetic
 * depends on the rest of its batch. Log-probabilities are at temperature 1, as the port requires, if the server reports
 * those of the raw logits (`bin/stp serve`, vLLM's default).
 */
import { StpError } from '../../../data/errors.ts';
import { KeptSamples } from '../../embedded/process/kept-samples.ts';
import { checkRequests } from '../../embedded/process/sampling-request.ts';
import type {
  Completion,
  GenerateOptions,
  Generator,
  ModelFacts,
  SampleRequest,
  SamplingOptions,
  TokenLogprob,
} from '../../generator.ts';
import { decodeEmbedding } from './decode-embedding.ts';
import { ModelServer, type ModelServerOptions } from './model-server.ts';
import { malformedAnswer, modelNotServed } from './server-errors.ts';
import { completionSchema, embeddingsSchema, modelsSchema, type WireChoice, type WireModel } from './wire.ts';

const MODELS_ANSWER_BYTES_MAX = 2 ** 20;
/** A server answers what it serves without computing anything; one that takes longer is not well. */
const MODELS_TIMEOUT_MS = 10_000;
/** Of an answer beside its tokens. */
const ANSWER_BYTES_BASE = 2 ** 20;
/** A token in an answer: its text, a number, an offset and an entry among the likeliest, all as JSON. */
const TOKEN_BYTES_MAX = 512;
/** A number of an embedding written in decimal. */
const NUMBER_BYTES_MAX = 32;
/** Texts in one request for embeddings: an answer of some megabytes for wide models. */
const TEXTS_PER_REQUEST = 32;

export class RemoteGenerator implements Generator {
  readonly model: ModelFacts;
  readonly #server: ModelServer;
  readonly #servedName: string;
  readonly #requestsInFlight: number;
  readonly #kept = new KeptSamples();
  readonly #closing = new AbortController();

  private constructor(server: ModelServer, model: ModelFacts, servedName: string, requestsInFlight: number) {
    this.#server = server;
    this.model = model;
    this.#servedName = servedName;
    this.#requestsInFlight = requestsInFlight;
  }

  /**
   * Asks the server what it serves. `servedName` is what it calls the model of `model`. Throws STP1304 where it serves
   * others only, STP1303 where it does not answer; the signal's reason where it ends the asking.
   */
  static async open(
    options: ModelServerOptions,
    model: ModelFacts,
    servedName: string,
    signal?: AbortSignal,
  ): Promise<RemoteGenerator> {
    const server = new ModelServer(options);
    try {
      const served = await askModels(server, signal ?? new AbortController().signal);
      const found = served.find(({ id }) => id === servedName);
      if (found === undefined) {
        const names = served.map(({ id }) => id);
        throw modelNotServed(server.url, servedName, names);
      }
      const contextLength = Math.min(model.contextLength, found.max_model_len ?? model.contextLength);
      return new RemoteGenerator(server, { ...model, contextLength }, servedName, options.requestsInFlight);
    } catch (error) {
      server.close();
      throw error;
    }
  }

  /** Whether the server still has the model: it may have been started anew with another. Throws STP1303 as `open`. */
  async isServed(signal?: AbortSignal): Promise<boolean> {
    return (await askModels(this.#server, this.#signal(signal))).some(({ id }) => id === this.#servedName);
  }

  /** `onText` hears each sample's text in one piece, when it is whole. */
  async sample(
    requests: readonly SampleRequest[],
    sampling: SamplingOptions,
    options: GenerateOptions = {},
  ): Promise<readonly Completion[]> {
    checkRequests(requests, sampling);
    const failed = new AbortController();
    const signal = this.#signal(failed.signal, options.signal);
    signal.throwIfAborted();
    const results = new Array<Completion>(requests.length);
    let next = 0;
    let completions = 0;
    let tokens = 0;
    const takeTurns = async (): Promise<void> => {
      while (next < requests.length) {
        const index = next++;
        const request = requests[index]!;
        const kept = this.#kept.take(request, sampling);
        const completion = kept ?? (await this.#complete(request, sampling, signal));
        results[index] = completion;
        completions++;
        tokens += completion.tokens;
        if (completion.text !== '') options.onText?.(index, completion.text);
        options.onCompletion?.(index, completion);
        options.onProgress?.({ completions, tokens });
      }
    };
    const workers = Array.from({ length: Math.min(this.#requestsInFlight, requests.length) }, takeTurns);
    try {
      await Promise.all(workers);
      return results;
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(workers);
      this.#kept.keep({ requests, sampling, results });
      throw error;
    }
  }

  async embed(
    texts: readonly string[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Float32Array[]> {
    const failed = new AbortController();
    const signal = this.#signal(failed.signal, options.signal);
    signal.throwIfAborted();
    const vectors: Float32Array[] = texts.map(() => new Float32Array(this.model.hiddenSize));
    // Servers refuse an empty text; what it is to give is known.
    const asked = texts.flatMap((text, index) => (text === '' ? [] : [index]));
    const parts = Array.from({ length: Math.ceil(asked.length / TEXTS_PER_REQUEST) }, (_, part) =>
      asked.slice(part * TEXTS_PER_REQUEST, (part + 1) * TEXTS_PER_REQUEST),
    );
    const work = parts.map(async (indices) => {
      const embedded = await this.#embedPart(
        indices.map((index) => texts[index]!),
        signal,
      );
      indices.forEach((index, at) => {
        vectors[index] = embedded[at]!;
      });
    });
    try {
      await Promise.all(work);
      return vectors;
    } catch (error) {
      failed.abort(error);
      await Promise.allSettled(work);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new StpError('STP1301', 'the generator is closed', 'Open another on the checkpoint.', { retryable: true }),
    );
    this.#server.close();
  }

  #signal(...signals: (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  async #complete(request: SampleRequest, sampling: SamplingOptions, signal: AbortSignal): Promise<Completion> {
    try {
      return await this.#ask(request, sampling, sampling.maxTokens, signal);
    } catch (error) {
      if (!isContextExceeded(error)) throw error;
    }
    // vLLM refuses a prompt that leaves room for fewer tokens than asked for, and without a number gives all the room.
    try {
      return await this.#ask(request, sampling, null, signal);
    } catch (error) {
      if (!isContextExceeded(error)) throw error;
      // A prompt that fills the context: an empty sample that says so, as from the embedded engine.
      const empty = { id: request.id, text: '', tokens: 0, logprob: 0, finish: 'length' } as const;
      return sampling.tokenLogprobs ? { ...empty, tokenLogprobs: [] } : empty;
    }
  }

  async #ask(
    { id, prompt, seed }: SampleRequest,
    { temperature, topP, maxTokens, stop, tokenLogprobs, topLogprobs = 0 }: SamplingOptions,
    tokensWanted: number | null,
    signal: AbortSignal,
  ): Promise<Completion> {
    const { choices } = await this.#server.ask('completions', {
      body: {
        model: this.#servedName,
        prompt,
        n: 1,
        seed,
        max_tokens: tokensWanted,
        temperature,
        top_p: topP,
        ...(stop && stop.length > 0 ? { stop } : {}),
        logprobs: tokenLogprobs ? topLogprobs : 0,
        // Of vLLM and SGLang: our separators are special tokens, and they belong to the text. Others pass it over.
        skip_special_tokens: false,
      },
      schema: completionSchema,
      answerBytesMax:
        ANSWER_BYTES_BASE + (1 + topLogprobs) * TOKEN_BYTES_MAX * Math.min(maxTokens, this.model.contextLength),
      signal,
    });
    return completionOf(id, choices[0]!, tokenLogprobs === true, topLogprobs);
  }

  async #embedPart(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { hiddenSize } = this.model;
    const { data } = await this.#server.ask('embeddings', {
      // The last is vLLM's for "cut what is too long", as the port does.
      body: { model: this.#servedName, input: texts, encoding_format: 'base64', truncate_prompt_tokens: -1 },
      schema: embeddingsSchema,
      answerBytesMax: ANSWER_BYTES_BASE + texts.length * hiddenSize * NUMBER_BYTES_MAX,
      signal,
    });
    const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
    return texts.map((_, index) => {
      const vector = decodeEmbedding(byIndex.get(index), hiddenSize);
      if (typeof vector === 'string') throw malformedAnswer(`${this.#server.url}/embeddings`, vector);
      return vector;
    });
  }
}

async function askModels(server: ModelServer, signal: AbortSignal): Promise<readonly WireModel[]> {
  const { data } = await server.ask('models', {
    schema: modelsSchema,
    answerBytesMax: MODELS_ANSWER_BYTES_MAX,
    timeoutMs: MODELS_TIMEOUT_MS,
    signal,
  });
  return data;
}

function completionOf(
  id: string,
  { text, finish_reason, logprobs }: WireChoice,
  withTokens: boolean,
  topLogprobs: number,
): Completion {
  const chosen = logprobs.token_logprobs;
  const completion = {
    id,
    text,
    tokens: chosen.length,
    logprob: chosen.reduce((sum, logprob) => sum + logprob, 0),
    finish: finish_reason,
  };
  if (!withTokens) return completion;
  return {
    ...completion,
    tokenLogprobs: logprobs.tokens.map((token, index) => {
      const one = { token, logprob: chosen[index]! };
      const top = logprobs.top_logprobs?.[index];
      return topLogprobs === 0 || top === undefined ? one : { ...one, top: likeliest(top, topLogprobs) };
    }),
  };
}

/** Servers add the chosen token where it is not among the likeliest. */
function likeliest(top: Readonly<Record<string, number>>, count: number): TokenLogprob[] {
  return Object.entries(top)
    .map(([token, logprob]) => ({ token, logprob }))
    .sort((a, b) => b.logprob - a.logprob)
    .slice(0, count);
}

function isContextExceeded(error: unknown): boolean {
  return error instanceof StpError && error.facts.contextExceeded === true;
}
