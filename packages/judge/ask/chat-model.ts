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
  /** `length`: cut off at the token limit. `declined`: the model or its provider refused to answer. */
  readonly finish: 'stop' | 'length' | 'declined';
  /** Null if the provider does not count tokens. */
  readonly usage: ChatUsage | null;
}

export interface ChatModel {
  /** Hash of address and key: the account by which requests are counted. */
  readonly account: string;
  /** Throws STP1901 if there is no answer; its fact `raw` has the server's other response, if any. */
  ask(request: ChatRequest): Promise<ChatAnswer>;
  close(): void;
}

export interface Service {
  readonly wire: 'openai' | 'anthropic';
  readonly url: string | null;
  readonly keyVariable: string | null;
}

/** The address and key variable of each service. */
export const SERVICES: Readonly<Record<JudgeProvider, Service>> = {
  server: { wire: 'openai', url: null, keyVariable: null },
  openai: { wire: 'openai', url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  openrouter: { wire: 'openai', url: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' },
  together: { wire: 'openai', url: 'https://api.together.xyz/v1', keyVariable: 'TOGETHER_API_KEY' },
  huggingface: { wire: 'openai', url: 'https://router.huggingface.co/v1', keyVariable: 'HF_API_TOKEN' },
  anthropic: { wire: 'anthropic', url: 'https://api.anthropic.com', keyVariable: 'ANTHROPIC_API_KEY' },
};
