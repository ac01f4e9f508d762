/** Judges over Anthropic's API, by its official client. We handle retries and limits ourselves, as for all judges. */
import Anthropic, { APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { Semaphore } from '@stp/base';
import { contentId } from '@stp/config/ids';
import type { Judge } from '@stp/config/records';
import { type Outcome, parseRetryAfter, withRetries } from '@stp/http';
import { z } from 'zod';
import type { ChatAnswer, ChatModel, ChatRequest } from './chat-model.ts';
import { noAnswer } from './errors.ts';

const FIRST_RETRY_MS = 500;

/** The needed part of a message. An error with status 200 has another shape. */
const messageSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullable(),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
});

export interface AnthropicOptions {
  readonly name: string;
  readonly url: string;
  readonly key: string;
  readonly judge: Judge;
}

export function anthropicChat({ name, url, key, judge }: AnthropicOptions): ChatModel {
  const timeoutMs = 1_000 * judge.timeoutSeconds;
  const client = new Anthropic({
    apiKey: key,
    baseURL: url,
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
  const turns = new Semaphore();
  const attempt = async (request: ChatRequest): Promise<Outcome<ChatAnswer>> => {
    const { pace, signal } = request;
    await pace.admit(signal);
    // The client's own time-out ends once an answer's headers have come.
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const options = { signal: AbortSignal.any([signal, late]) };
      return { kind: 'done', value: answerOf(name, await client.messages.create(paramsOf(judge, request), options)) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = failureOf(name, late.aborted ? new Error(`no whole answer within ${timeoutMs} ms`) : error);
      if (!failure.error.retryable) throw failure.error;
      if (failure.busy && failure.retryAfterMs !== null) pace.hold(failure.retryAfterMs);
      return { kind: 'again', ...failure };
    }
  };
  return {
    account: contentId('account', url, key),
    ask: (request) =>
      turns.run(
        judge.limits.requestsInFlight,
        () =>
          withRetries(() => attempt(request), {
            firstWaitMs: FIRST_RETRY_MS,
            busyLimitMs: timeoutMs,
            signal: request.signal,
          }),
        request.signal,
      ),
    close: () => {},
  };
}

function paramsOf(
  { model, maxTokens, temperature, answers }: Judge,
  { messages, schema }: ChatRequest,
): Anthropic.MessageCreateParamsNonStreaming {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    model,
    max_tokens: maxTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(system.length === 0 ? {} : { system: system.join('\n') }),
    messages: messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }])),
    ...(answers === 'schema' ? { output_config: { format: { type: 'json_schema', schema: { ...schema } } } } : {}),
  };
}

/** Throws STP1901 for a body that is no message. */
function answerOf(name: string, message: unknown): ChatAnswer {
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success)
    throw noAnswer(name, 'an answer with status 200 that is no message', {
      retryable: true,
      raw: JSON.stringify(message),
    });
  const { content, stop_reason: stop, usage } = parsed.data;
  const cut = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
  return {
    text: content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join(''),
    finish: cut ? 'length' : stop === 'refusal' ? 'declined' : 'stop',
    usage: { promptTokens: usage.input_tokens, answerTokens: usage.output_tokens },
  };
}

function failureOf(name: string, error: unknown) {
  if (error instanceof APIError && !(error instanceof APIUserAbortError)) {
    const { status, headers, message } = error;
    // Without a status there was no answer.
    const retryable = status === undefined || status === 408 || status === 409 || status === 429 || status >= 500;
    const raw = error.error === undefined ? null : JSON.stringify(error.error);
    return {
      error: noAnswer(name, message, { retryable, raw, status, cause: error }),
      retryAfterMs: parseRetryAfter(headers?.get('retry-after') ?? undefined),
      busy: status === 429,
    };
  }
  const stp = error instanceof Error && 'retryable' in error;
  return {
    error: stp
      ? (error as ReturnType<typeof noAnswer>)
      : noAnswer(name, String(error), { retryable: true, cause: error }),
    retryAfterMs: null,
    busy: false,
  };
}
