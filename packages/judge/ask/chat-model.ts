/** The port to one model of one provider: a chat in, an answer out. */
import type { ChatMessage, JudgeProvider } from '@stp/config/records';
import type { Pace } from '@stp/language-model';

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** Schema of the answer, and its name. */
  readonly schema: object;
  readonly name: string;
  readonly seed: number;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

export interface ChatUsage {
  readonly promptTokens: number;
  readonly answerTokens: number;
}

export interface ChatAnswer {
  readonly text: string;
  /** `length`: truncated at the token limit. `declined`: the model or its provider refused to answer. */
  readonly finish: 'stop' | 'length' | 'declined';
  /** Null if the provider does not count tokens. */
  readonly usage: ChatUsage | null;
}

export interface ChatModel {
  /** The account to which requests count: a hash of address and key. */
  readonly account: string;
  /** Throws STP1901 if no answer comes; its fact `raw` holds what the server sent instead, if anything. */
  ask(request: ChatRequest): Promise<ChatAnswer>;
  close(): void;
}

export interface Service {
  readonly wire: 'openai' | 'anthropic';
  readonly url: string | null;
  readonly keyVariable: string | null;
}

/** Facts about the providers. */
export const SERVICES: Readonly<Record<JudgeProvider, Service>> = {
  server: { wire: 'openai', url: null, keyVariable: null },
  openai: { wire: 'openai', url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  openrouter: { wire: 'openai', url: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
  together: { wire: 'openai', url: 'https://api.together.xyz/v1', keyVariable: 'TOGETHER_API_KEY' },
  huggingface: { wire: 'openai', url: 'https://router.huggingface.co/v1', keyVariable: 'HF_API_TOKEN' },
  anthropic: { wire: 'anthropic', url: 'https://api.anthropic.com', keyVariable: 'ANTHROPIC_API_KEY' },
};
