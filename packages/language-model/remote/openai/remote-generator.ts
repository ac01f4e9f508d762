/**
 * The `Generator` port over OpenAI-compatible servers: `bin/stp serve`, vLLM, `transformers serve` and similar ones.
 * All servers that have the model share the requests; one that fails leaves its requests to the others.
 *
 * A sample is a request of its own, with `n: 1` and its own seed. Lists of prompts do not work, because vLLM gives all
 * of them one seed, and equal prompts under one seed give equal samples. This costs nothing: such servers batch the
 * requests in flight and keep the prefix of equal prompts. Where requests are dear, `samplesPerRequest` asks for
 * several samples of one prompt at once; their seeds are then the server's choice, made from the first one's.
 *
 * A request with messages goes to the chat endpoint. If the caller can tell when an answer is complete, the answer is
 * streamed and ended there.
 *
 * The server determines the effect of a seed: `bin/stp serve` gives the embedded engine's samples; vLLM's arithmetic
 * depends on the rest of its batch. Log-probabilities are at temperature 1, as the port requires, if the server reports
 * those of the raw logits (`bin/stp serve`, vLLM's default).
 */
import { StpError } from '@stp/base';
import { KeptSamples } from '../../embedded/process/kept-samples.ts';
import { checkRequests } from '../../embedded/process/sampling-request.ts';
import type {
  Completion,
  GenerateOptions,
  Generator,
  ModelFacts,
  SampleRequest,
  SamplingOptions,
} from '../../generator.ts';
import { decodeEmbedding } from './decode-embedding.ts';
import { typedGrammarText } from './grammar-text.ts';
import { ModelServer, type ModelServerOptions } from './model-server.ts';
import { RequestLine, type Unit } from './request-line.ts';
import { readWhole, samplingBody, streamOptions, streamReader } from './sampling-wire.ts';
import { malformedAnswer, modelNotServed, type RefusalFacts } from './server-errors.ts';
import {
  answerSchemas,
  embeddingsSchema,
  eventSchemas,
  modelsSchema,
  type SamplingPath,
  type WireModel,
} from './wire.ts';

const MODELS_ANSWER_BYTES_MAX = 2 ** 20;
/** A server lists its models without computing anything, so a slow answer means that it is not well. */
const MODELS_TIMEOUT_MS = 10_000;
/** Size of an answer without its tokens, bytes. */
const ANSWER_BYTES_BASE = 2 ** 20;
/** Maximum size of a token in an answer, as JSON: its text, a number, an offset and an entry among the most likely. */
const TOKEN_BYTES_MAX = 512;
/** Maximum size of a stream's event, which has one token and the answer's other fields. */
const EVENT_BYTES_MAX = 2_048;
/** Maximum length of an embedding's number in decimal. */
const NUMBER_BYTES_MAX = 32;
/** Texts in one embedding request; for wide models the answer has some megabytes. */
const TEXTS_PER_REQUEST = 32;

/** Content of one request to a server. */
interface Asking {
  readonly unit: Unit;
  readonly sampling: SamplingOptions;
  /** Null: up to the end of the context. */
  readonly tokensWanted: number | null;
  readonly isComplete: GenerateOptions['isComplete'];
  readonly signal: AbortSignal;
}

export interface RemoteGeneratorOptions extends Omit<ModelServerOptions, 'url'> {
  /** Maximum samples of one prompt in one request. */
  readonly samplesPerRequest: number;
}

export class RemoteGenerator implements Generator {
  readonly model: ModelFacts;
  readonly #servers: readonly ModelServer[];
  readonly #servedName: string;
  readonly #options: RemoteGeneratorOptions;
  /** Servers that refuse fields which are not OpenAI's. */
  readonly #strict = new Set<ModelServer>();
  readonly #kept = new KeptSamples();
  readonly #closing = new AbortController();

  private constructor(
    servers: readonly ModelServer[],
    model: ModelFacts,
    servedName: string,
    options: RemoteGeneratorOptions,
  ) {
    this.#servers = servers;
    this.model = model;
    this.#servedName = servedName;
    this.#options = options;
  }

  /**
   * Asks the servers for their models and keeps the servers that have this one; the second part of the result has the
   * others' errors. `servedName` is their name for `model`. Throws only the signal's reason.
   */
  static async open(
    urls: readonly string[],
    options: RemoteGeneratorOptions,
    model: ModelFacts,
    servedName: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ readonly generator: RemoteGenerator | null; readonly errors: readonly StpError[] }> {
    const asked = await Promise.all(
      urls.map(async (url) => {
        const server = new ModelServer({ ...options, url });
        try {
          const served = await askModels(server, signal);
          const found = served.find(({ id }) => id === servedName);
          if (found !== undefined) return { server, found };
          throw modelNotServed(
            server.url,
            servedName,
            served.map(({ id }) => id),
          );
        } catch (error) {
          server.close();
          if (signal.aborted || !(error instanceof StpError)) throw error;
          return error;
        }
      }),
    );
    const errors = asked.flatMap((one) => (one instanceof StpError ? [one] : []));
    const found = asked.flatMap((one) => (one instanceof StpError ? [] : [one]));
    if (found.length === 0) return { generator: null, errors };
    const lengths = found.map((one) => one.found.max_model_len ?? model.contextLength);
    const facts = { ...model, contextLength: Math.min(model.contextLength, ...lengths) };
    const servers = found.map(({ server }) => server);
    return { generator: new RemoteGenerator(servers, facts, servedName, options), errors };
  }

  /** Returns whether all servers still have the model: one may have been restarted with another. Throws STP1303. */
  async isServed(signal?: AbortSignal): Promise<boolean> {
    const all = this.#signal(signal);
    const served = await Promise.all(this.#servers.map((server) => askModels(server, all)));
    return served.every((models) => models.some(({ id }) => id === this.#servedName));
  }

  /** `onText` receives each sample's text in one piece, when it is complete. */
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
    let completions = 0;
    let tokens = 0;
    const finish = (index: number, completion: Completion): void => {
      results[index] = completion;
      completions++;
      tokens += completion.tokens;
      if (completion.text !== '') options.onText?.(index, completion.text);
      options.onCompletion?.(index, completion);
      options.onProgress?.({ completions, tokens });
    };
    const line = new RequestLine(requests, this.#options.samplesPerRequest);
    const { isComplete } = options;
    const work = async (): Promise<void> => {
      for (const [index, request] of requests.entries()) {
        const kept = isPossible(request) ? this.#kept.take(request, sampling) : unwritten(request, sampling);
        if (kept === null) continue;
        line.drop(index);
        finish(index, kept);
      }
      const lanes = this.#servers.flatMap((server) =>
        Array.from({ length: Math.min(this.#options.requestsInFlight, line.size) }, () => server),
      );
      await line.run(lanes, async (server, unit) => {
        const made = await this.#complete(server, {
          unit,
          sampling,
          tokensWanted: sampling.maxTokens,
          isComplete,
          signal,
        });
        made.forEach((completion, at) => {
          finish(unit.indices[at]!, completion);
        });
        return made.length;
      });
    };
    try {
      await work();
      return results;
    } catch (error) {
      failed.abort(error);
      await line.settled();
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
    // Servers refuse an empty text, whose vector is known.
    const asked = texts.flatMap((text, index) => (text === '' ? [] : [index]));
    const parts = Array.from({ length: Math.ceil(asked.length / TEXTS_PER_REQUEST) }, (_, part) =>
      asked.slice(part * TEXTS_PER_REQUEST, (part + 1) * TEXTS_PER_REQUEST),
    );
    const work = parts.map(async (indices, part) => {
      const embedded = await this.#embedPart(
        this.#servers[part % this.#servers.length]!,
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
    for (const server of this.#servers) server.close();
  }

  #signal(...signals: (AbortSignal | undefined)[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...signals.filter((signal) => signal !== undefined)]);
  }

  /** Returns completions of the unit's first requests, at least one. */
  async #complete(server: ModelServer, asking: Asking): Promise<readonly Completion[]> {
    // Requests that were sent before another was refused also had the field.
    const wasStrict = this.#strict.has(server);
    try {
      return await this.#ask(server, asking);
    } catch (error) {
      if (hasFact(error, 'extraRefused') && !wasStrict) {
        this.#strict.add(server);
        return this.#complete(server, asking);
      }
      if (!hasFact(error, 'contextExceeded')) throw error;
    }
    // vLLM refuses a prompt that leaves less room than `max_tokens`; without a number it uses all the room.
    try {
      return await this.#ask(server, { ...asking, tokensWanted: null });
    } catch (error) {
      if (!hasFact(error, 'contextExceeded')) throw error;
      // The prompt fills the context: return empty samples with that reason, as the embedded engine does.
      return asking.unit.requests.map((request) => unwritten(request, asking.sampling));
    }
  }

  async #ask(server: ModelServer, asking: Asking): Promise<readonly Completion[]> {
    const { unit, sampling, isComplete, signal } = asking;
    const path: SamplingPath = unit.requests[0]!.messages === undefined ? 'completions' : 'chat/completions';
    const { maxTokens, topLogprobs = 0 } = sampling;
    const tokens = unit.requests.length * Math.min(maxTokens, this.model.contextLength);
    const ids = unit.requests.map(({ id }) => id);
    const isStrict = this.#strict.has(server);
    const body = samplingBody(path, this.#servedName, asking, isStrict);
    if (isComplete === undefined) {
      const answer = await server.ask(path, {
        body,
        schema: answerSchemas[path],
        answerBytesMax: ANSWER_BYTES_BASE + (1 + topLogprobs) * TOKEN_BYTES_MAX * tokens,
        signal,
        check: (value) => {
          const read = readWhole(value, ids, sampling);
          return typeof read === 'string' ? read : null;
        },
      });
      return readWhole(answer, ids, sampling) as Completion[];
    }
    return server.stream(path, {
      body: { ...body, stream: true, stream_options: streamOptions(unit.indices.length, isStrict) },
      schema: eventSchemas[path],
      answerBytesMax: ANSWER_BYTES_BASE + EVENT_BYTES_MAX * tokens,
      signal,
      read: () => streamReader(ids, sampling, (at, text) => isComplete(unit.indices[at]!, text)),
    });
  }

  async #embedPart(
    server: ModelServer,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const { hiddenSize } = this.model;
    const { data } = await server.ask('embeddings', {
      // `truncate_prompt_tokens: -1` is vLLM's option to cut long texts, as the port requires.
      body: { model: this.#servedName, input: texts, encoding_format: 'base64', truncate_prompt_tokens: -1 },
      schema: embeddingsSchema,
      answerBytesMax: ANSWER_BYTES_BASE + texts.length * hiddenSize * NUMBER_BYTES_MAX,
      signal,
    });
    const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
    return texts.map((_, index) => {
      const vector = decodeEmbedding(byIndex.get(index), hiddenSize);
      if (typeof vector === 'string') throw malformedAnswer(`${server.url}/embeddings`, vector);
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

function hasFact(error: unknown, fact: keyof RefusalFacts): boolean {
  return error instanceof StpError && error.facts[fact] === true;
}

/** Returns an empty sample for a prompt that left no room. */
function unwritten({ id }: SampleRequest, { tokenLogprobs }: SamplingOptions): Completion {
  const empty = { id, text: '', tokens: 0, logprob: 0, finish: 'length' } as const;
  return tokenLogprobs ? { ...empty, tokenLogprobs: [] } : empty;
}

/** Returns whether the request's grammar has an equation. */
const isPossible = ({ grammar }: SampleRequest): boolean => grammar === undefined || typedGrammarText(grammar) !== null;
