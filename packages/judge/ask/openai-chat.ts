/**
 * Judges on OpenAI-compatible servers, by the client of `packages/language-model/remote` with its connections and
 * retries. Some services send status 200 with an error in the body, beside or instead of an answer; that is not taken
 * as an answer.
 */

import { StpError } from '@stp/base';
import { contentId } from '@stp/config/ids';
import type { Judge } from '@stp/config/records';
import { errorSchema, ModelServer, TOKENS_MAX, usageSchema } from '@stp/language-model';
import { z } from 'zod';
import type { ChatAnswer, ChatModel, ChatRequest } from './chat-model.ts';
import { noAnswer } from './errors.ts';

const TEXT_CHARS_MAX = 2 ** 24;
const ANSWER_BYTES_BASE = 2 ** 20;
/** Maximum size of a token as JSON, with escapes; thinking may come in addition. */
const TOKEN_BYTES_MAX = 64;
const FIRST_RETRY_MS = 500;

const text = z.string().max(TEXT_CHARS_MAX).nullish();
const choiceSchema = z.object({
  message: z.object({ content: text, refusal: text }),
  finish_reason: z.string().max(64).nullish(),
  error: z.unknown().optional(),
});
const chatSchema = z.object({
  choices: z.array(choiceSchema).default([]),
  usage: usageSchema.nullish().catch(null),
  error: z.unknown().optional(),
});
type Chat = z.infer<typeof chatSchema>;

export interface OpenaiOptions {
  readonly name: string;
  readonly url: string;
  /** Null: the server needs no key. */
  readonly keyVariable: string | null;
  readonly judge: Judge;
  /** OpenAI's own models need `max_completion_tokens`; other servers know `max_tokens`. */
  readonly tokensField: 'max_tokens' | 'max_completion_tokens';
}

export function openaiChat({ name, url, keyVariable, judge, tokensField }: OpenaiOptions): ChatModel {
  const server = new ModelServer({
    url,
    ...(keyVariable === null ? {} : { keyVariable }),
    requestsInFlight: judge.limits.requestsInFlight,
    requestTimeoutMs: 1_000 * judge.timeoutSeconds,
    firstRetryMs: FIRST_RETRY_MS,
  });
  return {
    account: contentId('account', url, keyVariable === null ? '' : (process.env[keyVariable] ?? '')),
    async ask({ pace, signal, ...request }: ChatRequest): Promise<ChatAnswer> {
      let raw: string | null = null;
      try {
        const chat = await server.ask('chat/completions', {
          body: bodyOf(judge, tokensField, request),
          schema: chatSchema,
          answerBytesMax: ANSWER_BYTES_BASE + TOKEN_BYTES_MAX * Math.min(judge.maxTokens, TOKENS_MAX),
          check: errorIn,
          onUnusable: (body) => {
            raw = body;
          },
          pace,
          signal,
        });
        return answerOf(chat);
      } catch (error) {
        if (signal.aborted || !(error instanceof StpError)) throw error;
        // An unusable answer, even after all tries, may be usable later.
        const retryable = error.retryable || raw !== null;
        throw noAnswer(name, error.message, { retryable, raw, status: error.facts.status, cause: error });
      }
    },
    close: () => server.close(),
  };
}

function bodyOf(
  { model, maxTokens, temperature, answers }: Judge,
  tokensField: OpenaiOptions['tokensField'],
  { messages, schema, name, seed }: Omit<ChatRequest, 'pace' | 'signal'>,
): object {
  const forms = {
    schema: { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } },
    json: { response_format: { type: 'json_object' } },
    words: {},
  };
  return {
    model,
    messages,
    [tokensField]: maxTokens,
    ...(temperature === null ? {} : { temperature }),
    seed,
    ...forms[answers],
  };
}

/** Returns the error in a response without an answer, in the server's words. */
function errorIn({ error, choices: [choice] }: Chat): string | null {
  for (const one of [error, choice?.error]) {
    if (one === undefined || one === null) continue;
    const said = errorSchema.safeParse({ error: one });
    return `an error in an answer with status 200: ${said.success ? said.data.message : JSON.stringify(one)}`;
  }
  if (choice === undefined) return 'choices: there is none';
  return choice.finish_reason === 'error' ? 'finish_reason: error' : null;
}

function answerOf({ choices: [choice], usage }: Chat): ChatAnswer {
  const { message, finish_reason: finish } = choice!;
  const declined = finish === 'content_filter' || (typeof message.refusal === 'string' && message.refusal !== '');
  return {
    text: message.content ?? message.refusal ?? '',
    finish: finish === 'length' ? 'length' : declined ? 'declined' : 'stop',
    usage: usage ? { promptTokens: usage.prompt_tokens, answerTokens: usage.completion_tokens } : null,
  };
}
