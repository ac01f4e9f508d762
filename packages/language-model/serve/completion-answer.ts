/** Completions in the form OpenAI gives them: whole answers, and the parts of a streamed one. */
import { randomUUID } from 'node:crypto';
import type { Completion, TokenLogprob } from '../generator.ts';

/** What all parts of one answer share. */
export interface AnswerHead {
  readonly id: string;
  readonly object: 'text_completion';
  /** Unix time, seconds. */
  readonly created: number;
  readonly model: string;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export function answerHead(model: string): AnswerHead {
  const id = `cmpl-${randomUUID().replaceAll('-', '')}`;
  return { id, object: 'text_completion', created: Math.floor(Date.now() / 1_000), model };
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

export function choiceOf(index: number, { text, finish, tokenLogprobs }: Completion) {
  return { index, text, logprobs: logprobsOf(tokenLogprobs), finish_reason: finish };
}

/** A piece of a choice's text. */
export function textPart(index: number, text: string) {
  return { index, text, logprobs: null, finish_reason: null };
}

/** The end of a choice whose text has been sent: why it ended, and the log-probabilities of all its tokens. */
export function endPart(index: number, completion: Completion) {
  return choiceOf(index, { ...completion, text: '' });
}

/** `text_offset` counts characters of the tokens' own texts. */
function logprobsOf(tokens: readonly TokenLogprob[] | undefined) {
  if (tokens === undefined) return null;
  let offset = 0;
  const offsets = tokens.map(({ token }) => {
    const start = offset;
    offset += token.length;
    return start;
  });
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.some(({ top }) => top !== undefined) ? tokens.map(topOf) : null,
    text_offset: offsets,
  };
}

/** By their texts, with the chosen token among them, as OpenAI has it: one more where the chosen token is not among the likeliest. */
function topOf({ token, logprob, top = [] }: TokenLogprob): Record<string, number> {
  const byText = new Map<string, number>();
  // Of tokens that read alike (pieces of a character) the likeliest stands for all, but for the chosen one.
  for (const other of top) if (!byText.has(other.token)) byText.set(other.token, other.logprob);
  byText.set(token, logprob);
  return Object.fromEntries(byText);
}
