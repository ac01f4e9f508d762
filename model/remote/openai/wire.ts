/**
 * The allowed answers of an OpenAI-compatible server, checked before use. Unneeded fields are ignored; needed ones have
 * limits. Source: OpenAI's API reference for completions, models and embeddings; vLLM adds `max_model_len` to a model.
 */
import { z } from 'zod';

const NAME_CHARS_MAX = 1_024;
const MODELS_MAX = 1_000;
/** Longest context that is spoken of, tokens. */
export const TOKENS_MAX = 2 ** 24;
const TEXT_CHARS_MAX = 2 ** 24;

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

/** One completion: requests ask for one each. */
export const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        text: z.string().max(TEXT_CHARS_MAX),
        finish_reason: z.enum(['stop', 'length']),
        logprobs: z
          .object({
            tokens: z.array(z.string().max(NAME_CHARS_MAX)).max(TOKENS_MAX),
            token_logprobs: z.array(z.number()).max(TOKENS_MAX),
            /** Read where they were asked for only. */
            top_logprobs: z
              .array(z.record(z.string().max(NAME_CHARS_MAX), z.number()))
              .max(TOKENS_MAX)
              .nullish(),
          })
          .refine(({ tokens, token_logprobs }) => tokens.length === token_logprobs.length, 'lengths differ'),
      }),
    )
    .length(1),
});
export type WireChoice = z.infer<typeof completionSchema>['choices'][number];

export const embeddingsSchema = z.object({
  data: z.array(
    z.object({
      index: z.int().nonnegative(),
      /** Base64 of little-endian float32, or numbers from servers that know no encodings. */
      embedding: z.union([z.base64(), z.array(z.number())]),
    }),
  ),
});

/** OpenAI wraps its errors in `error`; older vLLM does not. */
const errorBodySchema = z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish() });
const errorSchema = z.union([z.object({ error: errorBodySchema }).transform(({ error }) => error), errorBodySchema]);

export interface ServerMessage {
  readonly message: string;
  readonly code: string | null;
}

/** The server's message in an answer with an error status; the raw text if it is not such JSON. */
export function serverMessage(body: string): ServerMessage {
  try {
    const { message, code } = errorSchema.parse(JSON.parse(body));
    return { message, code: code === null || code === undefined ? null : String(code) };
  } catch {
    return { message: body, code: null };
  }
}

/** vLLM's words for it, which changed over its versions. */
const CONTEXT_EXCEEDED =
  /context length|maximum (model|input) length|max_model_len|max_tokens must be at least 1, got -/i;

/** Whether a refusal says that prompt and completion do not fit the context. OpenAI has a code for it, vLLM has none. */
export function isContextExceeded(status: number, { code, message }: ServerMessage): boolean {
  return status === 400 && (code === 'context_length_exceeded' || CONTEXT_EXCEEDED.test(message));
}
