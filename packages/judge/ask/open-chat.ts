/** Opens the model that a judge of the configuration names. */
import type { Judge } from '@stp/config/records';
import { anthropicChat } from './anthropic-chat.ts';
import { type ChatModel, SERVICES } from './chat-model.ts';
import { keyMissing } from './errors.ts';
import { openaiChat } from './openai-chat.ts';

/** Throws STP1001 if a needed key is missing. */
export function openChat(name: string, judge: Judge): ChatModel {
  const service = SERVICES[judge.provider];
  const url = judge.url ?? service.url!;
  const keyVariable = judge.keyVariable ?? service.keyVariable;
  const key = keyVariable === null ? undefined : process.env[keyVariable];
  if (keyVariable !== null && !key) throw keyMissing(name, keyVariable);
  if (service.wire === 'anthropic') return anthropicChat({ name, url, key: key!, judge });
  const tokensField = judge.provider === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return openaiChat({ name, url, keyVariable, judge, tokensField });
}
