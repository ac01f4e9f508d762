/** Bodies of requests, and answers in the format of each API. */
import { HALF_CHARACTER, halfCharacterAt } from '@stp/base';
import { z } from 'zod';
import type { AnswerOf, Suggester } from '../suggester.ts';
import type { SuggestionEvent, SuggestionRequest } from '../suggestion.ts';
import { HttpError } from './http-error.ts';

const STATE_CHARS_MAX = 65_536;
const PREFIX_CHARS_MAX = 4_096;
const CONTEXT_CHARS_MAX = 2 * 1024 * 1024;
export const SEARCH_SECONDS_MAX = 600;
/** Separates suggestions in the output of llmstep's client, which cannot escape it. */
const SEPARATOR = '[SUGGESTION]';

const state = z.string().max(STATE_CHARS_MAX);
const prefix = z.string().max(PREFIX_CHARS_MAX);
const context = z.string().max(CONTEXT_CHARS_MAX);
const name = z.string().max(256);

export const llmstepSchema = z.object({ tactic_state: state, prefix, context: context.default('') });
export const generateSchema = z.object({ name, input: state, prefix: prefix.nullish() });
export const encodeSchema = z.object({ name, input: state });
export const suggestSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\w.:-]{1,128}$/u)
      .optional(),
    tactic_state: state.nullish(),
    prefix: prefix.default(''),
    context: context.default(''),
    search_seconds: z.number().min(0).max(SEARCH_SECONDS_MAX).optional(),
    answer_seconds: z.number().positive().max(SEARCH_SECONDS_MAX).optional(),
    all: z.boolean().default(false),
    stream: z.boolean().default(false),
  })
  .refine(({ tactic_state, context: above }) => Boolean(tactic_state?.trim()) || above.trim() !== '', {
    message: 'give `tactic_state`, or the file up to the position as `context`',
    path: ['tactic_state'],
  });

/** Throws 413 if a text is too long, 400 for all other violations. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) {
    const half = halfCharacterAt(parsed.data);
    if (half !== null) throw new HttpError(400, `${half.join('.')}: ${HALF_CHARACTER}`);
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  const path = issue!.path.join('.') || 'the body';
  const isLong = issue!.code === 'too_big' && issue!.origin === 'string';
  throw new HttpError(isLong ? 413 : 400, `${path}: ${issue!.message}`);
}

export function llmstepRequest(body: unknown): SuggestionRequest {
  const { tactic_state: tacticState, prefix: begun, context: above } = parseBody(llmstepSchema, body);
  if (begun.includes(SEPARATOR))
    throw new HttpError(400, `prefix: it contains ${SEPARATOR}, which separates suggestions in llmstep's client`);
  return { tacticState, prefix: begun, context: above, searchSeconds: 0, answerSeconds: null, all: false };
}

/**
 * Returns an answer that llmstep's client can show: without suggestions that Lean has refused, or that contain the
 * separator.
 */
export function llmstepAnswer({ suggestions }: AnswerOf): { suggestions: string[] } {
  return { suggestions: usable(suggestions).flatMap(({ text }) => (text.includes(SEPARATOR) ? [] : [text])) };
}

/**
 * LeanCopilot sorts by score, so a better suggestion must have a higher one: from its rank, or its model's token
 * probability.
 */
export function generateAnswer({ suggestions }: AnswerOf): { outputs: { output: string; score: number }[] } {
  const outputs = usable(suggestions);
  let last = 1;
  return {
    outputs: outputs.map(({ text, score }) => {
      last = Math.min(last, score === null ? last : Math.exp(Math.min(0, score)));
      return { output: text, score: last };
    }),
  };
}

function usable(suggestions: AnswerOf['suggestions']): AnswerOf['suggestions'] {
  return suggestions.filter((one) => one.class === 'done' || one.class === 'valid' || !one.checked);
}

export const suggestAnswer = (id: string, answer: AnswerOf, ms: number) => ({
  id,
  goals: answer.goals,
  suggestions: answer.suggestions.map(wireSuggestion),
  unchecked: answer.unchecked,
  unfinished: answer.unfinished,
  failures: answer.failures,
  cached: answer.isCached,
  ms: Math.round(ms),
});

const wireSuggestion = ({
  text,
  class: of,
  goals,
  score,
  source,
  ms,
  reason,
  checked,
}: AnswerOf['suggestions'][number]) => ({
  text,
  class: of,
  goals,
  remaining: goals.length,
  score,
  source,
  ms,
  reason,
  checked,
});

export function serverSentEvent(kind: string, data: unknown): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function eventText(event: SuggestionEvent): string {
  const { kind, ...data } = event;
  return serverSentEvent(kind, event.kind === 'suggestion' ? wireSuggestion(event.suggestion) : data);
}

/** Returns the engine with this name. Throws 404 for an unknown name. */
export function engineNamed(suggester: Suggester, asked: string, aliases: readonly string[]) {
  const engine = suggester.engines.find((one) => one.name === asked);
  if (engine !== undefined || aliases.includes(asked)) return engine ?? suggester.engines[0]!;
  const names = [...suggester.engines.map((one) => one.name), ...aliases];
  throw new HttpError(404, `There is no model ${asked} here; there are ${names.join(', ')}.`);
}
