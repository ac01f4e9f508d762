/** Completions in OpenAI's form: whole answers, and the parts of a streamed one. */
import { randomUUID } from 'node:crypto';
import type { Completion, TokenLogprob } from '../generator.ts';

/** The form of an endpoint's answers. */
export interface AnswerForm {
  /** Fields that all parts of one answer share; `created` is Unix time in seconds. */
  head(model: string, isPart: boolean): Readonly<Record<'id' | 'object' | 'model', string> & { created: number }>;
  /** A whole choice. */
  choice(index: number, completion: Completion): object;
  /** A piece of a choice's text. */
  piece(index: number, text: string): object;
  /** The end of a choice whose text has been sent: its reason, and the log-probabilities of all its tokens. */
  end(index: number, completion: Completion): object;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** `POST /v1/completions`. */
export const COMPLETION_FORM: AnswerForm = {
  head: (model) => headOf('cmpl', 'text_completion', model),
  choice: (index, { text, finish, tokenLogprobs }) => ({
    index,
    text,
    logprobs: logprobsOf(tokenLogprobs),
    finish_reason: finish,
  }),
  piece: (index, text) => ({ index, text, logprobs: null, finish_reason: null }),
  end: (index, completion) => COMPLETION_FORM.choice(index, { ...completion, text: '' }),
};

/** `POST /v1/chat/completions`. */
export const CHAT_FORM: AnswerForm = {
  head: (model, isPart) => headOf('chatcmpl', isPart ? 'chat.completion.chunk' : 'chat.completion', model),
  choice: (index, { text, finish, tokenLogprobs }) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null },
    logprobs: chatLogprobsOf(tokenLogprobs),
    finish_reason: finish,
  }),
  piece: (index, text) => ({
    ...{ index, delta: { role: 'assistant', content: text }, logprobs: null, finish_reason: null },
  }),
  end: (index, { finish, tokenLogprobs }) => ({
    ...{ index, delta: {}, logprobs: chatLogprobsOf(tokenLogprobs), finish_reason: finish },
  }),
};

function headOf(kind: string, object: string, model: string) {
  const id = `${kind}-${randomUUID().replaceAll('-', '')}`;
  return { id, object, created: Math.floor(Date.now() / 1_000), model };
}

function chatLogprobsOf(tokens: readonly TokenLogprob[] | undefined) {
  if (tokens === undefined) return null;
  const written = ({ token, logprob }: Omit<TokenLogprob, 'top'>) => ({
    token,
    logprob,
    bytes: [...Buffer.from(token)],
  });
  return {
    content: tokens.map((one) => ({ ...written(one), top_logprobs: (one.top ?? []).map(written) })),
    refusal: null,
  };
}

/** `text_offset` counts characters of the tokens' texts. */
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

/** Returns the most likely tokens by text, as OpenAI does: one more if the chosen token is not among them. */
function topOf({ token, logprob, top = [] }: TokenLogprob): Record<string, number> {
  const byText = new Map<string, number>();
  // Tokens with equal text (pieces of a character) are merged: the chosen one counts, else the most likely.
  for (const other of top) if (!byText.has(other.token)) byText.set(other.token, other.logprob);
  byText.set(token, logprob);
  return Object.fromEntries(byText);
}
