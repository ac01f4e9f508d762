/**
 * Checks the bodies of `POST /v1/completions` and `POST /v1/chat/completions`. Unknown fields are ignored, as in
 * OpenAI's and vLLM's servers. Known but unsupported fields that would change the result are refused by name.
 */
import type { ChatMessage } from '@stp/config/records';
import { z } from 'zod';
import { type SamplingOptions, STOP_CHARS_MAX, STOPS_MAX, TOP_LOGPROBS_MAX } from '../generator.ts';
import { badRequest } from './api-error.ts';
import { jsonGrammar, responseFormatSchema, UnreadSchema } from './json-grammar.ts';
import { CHOICES_PER_PROMPT_MAX } from './limits.ts';
import { firstProblem, textsSchema } from './texts.ts';

/** OpenAI's default. */
const TOKENS_DEFAULT = 16;
const TEMPERATURE_MAX = 2;

const MESSAGES_MAX = 4_096;
const MESSAGE_PARTS_MAX = 256;

/** Unsupported fields of OpenAI and vLLM, with the values that have no effect. */
const UNSUPPORTED: Readonly<Record<string, readonly unknown[]>> = {
  echo: [false],
  suffix: [''],
  frequency_penalty: [0],
  presence_penalty: [0],
  repetition_penalty: [1],
  length_penalty: [1],
  top_k: [0, -1],
  min_p: [0],
  min_tokens: [0],
  use_beam_search: [false],
  ignore_eos: [false],
  include_stop_str_in_output: [false],
  prompt_logprobs: [],
  structured_outputs: [],
  guided_json: [],
  guided_regex: [],
  guided_choice: [],
  guided_grammar: [],
  tools: [],
  functions: [],
  modalities: [],
};

const stopSchema = z.string().min(1).max(STOP_CHARS_MAX);

/** Fields of both endpoints. */
const sharedFields = {
  model: z.string().nullish(),
  n: z.int().min(1).max(CHOICES_PER_PROMPT_MAX).nullish(),
  temperature: z.number().min(0).max(TEMPERATURE_MAX).nullish(),
  top_p: z.number().positive().max(1).nullish(),
  seed: z.int().nonnegative().nullish(),
  stop: z.union([stopSchema, z.array(stopSchema).max(STOPS_MAX)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  response_format: responseFormatSchema.nullish(),
};

const bodySchema = z.object({
  ...sharedFields,
  prompt: textsSchema,
  best_of: z.int().nullish(),
  /** Maximum tokens of an answer. Default: OpenAI's 16; `null`: up to the end of the context, as in vLLM. */
  max_tokens: z.int().min(1).nullable().default(TOKENS_DEFAULT),
  logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
});

/** Joins the text parts of a message; refuses other parts. */
const contentSchema = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text', 'parts other than text are not supported'), text: z.string() }))
    .max(MESSAGE_PARTS_MAX)
    .transform((parts) => parts.map(({ text }) => text).join('')),
]);
const chatSchema = z.object({
  ...sharedFields,
  messages: z
    .array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: contentSchema }))
    .min(1)
    .max(MESSAGES_MAX),
  /** Either name is accepted. Default: up to the end of the context. */
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
});

export interface CompletionRequest {
  readonly model: string | null;
  /** Texts, or token ids to be decoded. */
  readonly prompts: readonly (string | readonly number[])[];
  readonly choicesPerPrompt: number;
  /** Seed of the first choice, the next ones count up from it; null: a random one. */
  readonly seed: number | null;
  /** `maxTokens` is null if only the context limits it. */
  readonly sampling: Omit<SamplingOptions, 'maxTokens'> & { readonly maxTokens: number | null };
  readonly stream: boolean;
  readonly streamUsage: boolean;
  /** The grammar of the answer; null for free text. */
  readonly gbnf: string | null;
}

/** Throws an `ApiError` with status 400 that names the field. */
export function parseCompletionRequest(body: unknown): CompletionRequest {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) throw firstProblem(parsed.error);
  const { prompt, best_of: bestOf, ...fields } = parsed.data;
  const shared = sharedParts(fields, body);
  if ((bestOf ?? shared.choicesPerPrompt) !== shared.choicesPerPrompt)
    throw badRequest('`best_of` other than `n` is not supported.', 'best_of', 'unsupported_parameter');
  return {
    ...shared,
    prompts: prompt,
    sampling: {
      ...shared.sampling,
      maxTokens: fields.max_tokens,
      ...(typeof fields.logprobs === 'number' ? { tokenLogprobs: true } : {}),
      ...((fields.logprobs ?? 0) > 0 ? { topLogprobs: fields.logprobs! } : {}),
    },
  };
}

export interface ChatRequest extends Omit<CompletionRequest, 'prompts'> {
  readonly messages: readonly ChatMessage[];
}

/** Parses the body of `POST /v1/chat/completions`. Throws an `ApiError` with status 400 that names the field. */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = chatSchema.safeParse(body);
  if (!parsed.success) throw firstProblem(parsed.error);
  const { messages, ...fields } = parsed.data;
  const shared = sharedParts(fields, body);
  return {
    ...shared,
    messages,
    sampling: {
      ...shared.sampling,
      maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? null,
      ...(fields.logprobs ? { tokenLogprobs: true } : {}),
      ...(fields.logprobs && (fields.top_logprobs ?? 0) > 0 ? { topLogprobs: fields.top_logprobs! } : {}),
    },
  };
}

type SharedFields = z.infer<z.ZodObject<typeof sharedFields>>;

function sharedParts(fields: SharedFields, body: unknown) {
  refuseUnsupported(body as Readonly<Record<string, unknown>>);
  if (Object.keys(fields.logit_bias ?? {}).length > 0)
    throw badRequest('`logit_bias` is not supported.', 'logit_bias', 'unsupported_parameter');
  const stop = typeof fields.stop === 'string' ? [fields.stop] : (fields.stop ?? []);
  return {
    model: fields.model ?? null,
    choicesPerPrompt: fields.n ?? 1,
    seed: fields.seed ?? null,
    sampling: {
      temperature: fields.temperature ?? 1,
      topP: fields.top_p ?? 1,
      ...(stop.length > 0 ? { stop } : {}),
    },
    stream: fields.stream ?? false,
    streamUsage: fields.stream_options?.include_usage ?? false,
    gbnf: grammarOf(fields.response_format),
  };
}

function grammarOf(format: SharedFields['response_format']): string | null {
  try {
    return format ? jsonGrammar(format) : null;
  } catch (error) {
    if (!(error instanceof UnreadSchema)) throw error;
    throw badRequest(
      `\`response_format.json_schema.schema\`: ${error.message}.`,
      'response_format',
      'unsupported_parameter',
    );
  }
}

function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [field, neutral] of Object.entries(UNSUPPORTED)) {
    const value = body[field];
    if (value === undefined || value === null || neutral.includes(value)) continue;
    throw badRequest(`\`${field}\` is not supported.`, field, 'unsupported_parameter');
  }
}
