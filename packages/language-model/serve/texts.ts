/**
 * Texts of a request, as strings or as token ids: checks their form, counts their tokens, and tests whether the model
 * can read them.
 */
import { z } from 'zod';
import type { PromptTokens } from '../tokenizer/prompt-tokens.ts';
import { type ApiError, badRequest } from './api-error.ts';
import { INPUTS_MAX } from './limits.ts';

const tokensSchema = z.array(z.int().nonnegative());

/** Parses one text or several to a list. The four forms are OpenAI's. */
export const textsSchema = z.union([
  z.string().transform((text) => [text]),
  z.array(z.string()).min(1).max(INPUTS_MAX),
  tokensSchema.min(1).transform((tokens) => [tokens]),
  z.array(tokensSchema).min(1).max(INPUTS_MAX),
]);

export interface CountedText {
  readonly text: string;
  readonly tokens: number;
}

/**
 * Returns a text and its number of tokens. Because the engine takes texts, token ids are accepted only if the tokenizer
 * encodes their text to the same ids.
 */
export async function countedText(
  input: string | readonly number[],
  tokenizer: PromptTokens,
  param: string,
): Promise<CountedText> {
  if (typeof input === 'string') {
    if (!input.isWellFormed()) throw badRequest(`\`${param}\` holds half a character.`, param);
    return { text: input, tokens: (await tokenizer.encodePrompt(input)).length };
  }
  const text = await tokenizer.decode(input);
  const ids = await tokenizer.encodePrompt(text);
  if (ids.length !== input.length || ids.some((id, index) => id !== input[index])) {
    const message = `\`${param}\` holds tokens that the tokenizer does not make of their own text; send the text.`;
    throw badRequest(message, param);
  }
  return { text, tokens: ids.length };
}

/** Returns the first problem that a schema found, with its field. */
export function firstProblem(error: z.ZodError): ApiError {
  const [issue] = error.issues;
  const field = issue?.path.join('.') || null;
  return badRequest(`${field === null ? 'Request' : `\`${field}\``}: ${issue?.message ?? 'invalid'}.`, field);
}
