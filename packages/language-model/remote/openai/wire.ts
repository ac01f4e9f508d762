/**
 * The allowed answers of an OpenAI-compatible server, checked before use. Unneeded fields are ignored; needed ones have
 * limits. Source: OpenAI's API reference for completions, chat completions, models and embeddings; vLLM adds
 * `max_model_len` to a model, and `reasoning_content` (later `reasoning`) to a message.
 */
import { z } from 'zod';

const NAME_CHARS_MAX = 1_024;
const MODELS_MAX = 1_000;
/** Maximum context length in any answer, tokens. */
export const TOKENS_MAX = 2 ** 24;
const TEXT_CHARS_MAX = 2 ** 24;
const CHOICES_MAX = 4_096;

export const modelsSchema = z.object({
  data: z
    .array(
      z.object({
        id: z.string().max(NAME_CHARS_MAX),
        /** Prompt and completion together, tokens. */
        max_model_len: z.int().positive().max(TOKENS_MAX).nullish(),
      }),
    )
    .max(MODELS_MAX),
});

export type WireModel = z.infer<typeof modelsSchema>['data'][number];

const text = z.string().max(TEXT_CHARS_MAX);
const tokenText = z.string().max(NAME_CHARS_MAX);
/** `abort`, `error`: vLLM gave up. For other words (`eos_token`, `tool_calls`) the model ended the answer. */
const finishReason = z
  .string()
  .max(64)
  .refine((reason) => reason !== 'abort' && reason !== 'error', 'the server gave up the request')
  .transform((reason) => (reason === 'length' ? ('length' as const) : ('stop' as const)));
const index = z.int().nonnegative().max(CHOICES_MAX);
const count = z.int().nonnegative().max(TOKENS_MAX);

export const usageSchema = z.object({ prompt_tokens: count, completion_tokens: count });

const completionLogprobs = z
  .object({
    tokens: z.array(tokenText).max(TOKENS_MAX),
    token_logprobs: z.array(z.number()).max(TOKENS_MAX),
    /** Read only if requested. */
    top_logprobs: z.array(z.record(tokenText, z.number())).max(TOKENS_MAX).nullish(),
  })
  .refine(({ tokens, token_logprobs }) => tokens.length === token_logprobs.length, 'lengths differ')
  .transform(({ tokens, token_logprobs, top_logprobs }) =>
    tokens.map((token, at) => ({
      token,
      logprob: token_logprobs[at]!,
      top: Object.entries(top_logprobs?.[at] ?? {}).map(([other, logprob]) => ({ token: other, logprob })),
    })),
  );

const chatLogprobs = z
  .object({
    content: z
      .array(
        z.object({
          token: tokenText,
          logprob: z.number(),
          top_logprobs: z.array(z.object({ token: tokenText, logprob: z.number() })).nullish(),
        }),
      )
      .max(TOKENS_MAX)
      .nullish(),
  })
  .transform(({ content }) =>
    (content ?? []).map(({ token, logprob, top_logprobs }) => ({ token, logprob, top: top_logprobs ?? [] })),
  );

/** A server that parses thinking returns it apart from the answer. */
const messageText = z
  .object({ content: text.nullish(), reasoning_content: text.nullish(), reasoning: text.nullish() })
  .transform(({ content, reasoning_content, reasoning }) => ({
    answer: content ?? '',
    thinking: reasoning_content ?? reasoning ?? '',
  }));
const plainText = text.transform((answer) => ({ answer, thinking: '' }));

/** A whole choice, or the part of it that a stream's event adds. */
export interface WirePart {
  readonly index: number;
  readonly text: { readonly answer: string; readonly thinking: string };
  readonly finish: 'stop' | 'length' | null;
  readonly logprobs: readonly WireToken[] | null;
}

export interface WireToken {
  readonly token: string;
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly logprob: number }[];
}

export interface WireAnswer {
  readonly choices: readonly WirePart[];
  readonly usage: z.infer<typeof usageSchema> | null;
}

const completionPart = z
  .object({
    index: index.default(0),
    text: plainText,
    finish_reason: finishReason.nullish(),
    logprobs: completionLogprobs.nullish(),
  })
  .transform(
    ({ finish_reason, logprobs, ...part }): WirePart => ({
      ...part,
      finish: finish_reason ?? null,
      logprobs: logprobs ?? null,
    }),
  );

const chatPart = (field: 'message' | 'delta') =>
  z
    .object({
      index: index.default(0),
      [field]: messageText,
      finish_reason: finishReason.nullish(),
      logprobs: chatLogprobs.nullish(),
    })
    .transform(
      (part): WirePart => ({
        index: part.index as number,
        text: part[field] as WirePart['text'],
        finish: (part.finish_reason ?? null) as WirePart['finish'],
        logprobs: (part.logprobs ?? null) as WirePart['logprobs'],
      }),
    );

const answerOf = (part: z.ZodType<WirePart>) =>
  z
    .object({ choices: z.array(part).max(CHOICES_MAX), usage: usageSchema.nullish().catch(null) })
    .transform(({ choices, usage }): WireAnswer => ({ choices, usage: usage ?? null }));

export const answerSchemas = {
  completions: answerOf(completionPart as z.ZodType<WirePart>),
  'chat/completions': answerOf(chatPart('message') as z.ZodType<WirePart>),
} as const;
/** Schemas of one event of a stream. */
export const eventSchemas = {
  completions: answerSchemas.completions,
  'chat/completions': answerOf(chatPart('delta') as z.ZodType<WirePart>),
} as const;
export type SamplingPath = keyof typeof answerSchemas;

export const embeddingsSchema = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative(),
      /** Base64 of little-endian float32, or numbers from servers without encodings. */
      embedding: z.union([z.base64(), z.array(z.number())]),
    }),
  ),
});

/**
 * OpenAI wraps errors in `error`; older vLLM does not. FastAPI uses `detail`, `transformers serve` in streams a plain
 * `error`.
 */
const errorBodySchema = z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish() });
export const errorSchema = z.union([
  z.object({ error: errorBodySchema }).transform(({ error }) => error),
  errorBodySchema,
  z.object({ error: z.string() }).transform(({ error }) => ({ message: error, code: null })),
  z.object({ detail: z.unknown() }).transform(({ detail }) => ({
    message: typeof detail === 'string' ? detail : JSON.stringify(detail),
    code: null,
  })),
]);

export interface ServerMessage {
  readonly message: string;
  readonly code: string | null;
}

/** Returns the server's message from an error answer, or the raw text. */
export function serverMessage(body: string): ServerMessage {
  try {
    const { message, code } = errorSchema.parse(JSON.parse(body));
    return { message, code: code === null || code === undefined ? null : String(code) };
  } catch {
    return { message: body, code: null };
  }
}

/** vLLM's messages for it in its various versions. */
const CONTEXT_EXCEEDED =
  /context length|maximum (model|input) length|max_model_len|max_tokens must be at least 1, got -/i;

/**
 * Returns whether a refusal says that prompt and completion exceed the context. OpenAI has a code for it, vLLM has
 * none.
 */
export function isContextExceeded(status: number, { code, message }: ServerMessage): boolean {
  return status === 400 && (code === 'context_length_exceeded' || CONTEXT_EXCEEDED.test(message));
}

/** Returns whether a refusal is about a field that is not OpenAI's. */
export function isExtraRefused(status: number, { message }: ServerMessage): boolean {
  return (status === 400 || status === 422) && /skip_special_tokens|continuous_usage_stats/.test(message);
}

/** Returns whether a refusal says that fewer choices must be requested at once. */
export function isChoicesRefused(status: number, { message }: ServerMessage): boolean {
  return (
    (status === 400 || status === 422) &&
    /(?:^|[^\w])n(?:[^\w]|$).*(?:must|at most|only|not supported|should)/i.test(message)
  );
}
