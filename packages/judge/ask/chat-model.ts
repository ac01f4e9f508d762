/** The port to one model behind one provider: a chat in, an answer out. */
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
  /** `length`: cut off at the token limit. `declined`: the model or its provider would not answer. */
  readonly finish: 'stop' | 'length' | 'declined';
  /** Null where the provider does not count. */
  readonly usage: ChatUsage | null;
}

export interface ChatModel {
  /** The account by which requests are counted: address and key, as a hash. */
  readonly account: string;
  /** Throws STP1901 where no answer comes; its fact `raw` holds what came instead, if anything did. */
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
