/** The chat behind one sample, kept while it may be revised (`prover.mode` `revise`). */

import type { PromptFormat } from '@stp/config';
import { type ChatMessage, chatMessageSchema } from '@stp/config/records';
import type { Completion } from '@stp/language-model';
import { afterThinking } from '@stp/selfplay';
import { z } from 'zod';
import { LINE_BYTES_MAX } from '../../records/line-batches.ts';

/** Limit on the bytes of a chat: the line has other fields too. */
const CHAT_BYTES_MAX = LINE_BYTES_MAX - 1_024;

export const answerRecordSchema = z.strictObject({
  statementId: z.string(),
  /** Index of the sample. */
  index: z.number().int().nonnegative(),
  /** Number of tokens in this answer. */
  tokens: z.number().int().nonnegative(),
  /**
   * Messages without the system text; the last one is the answer. Its thinking is left out, as in chat templates.
   * Empty: the chat is too long for a line of records and is not revised.
   */
  messages: z.array(chatMessageSchema),
});
export type AnswerRecord = z.infer<typeof answerRecordSchema>;

export function answerRecord(
  format: PromptFormat,
  sample: { readonly statementId: string; readonly index: number; readonly asked: readonly ChatMessage[] },
  { text, tokens }: Completion,
): AnswerRecord {
  const { statementId, index, asked } = sample;
  const answer: ChatMessage = { role: 'assistant', content: afterThinking(text, format.thinking) ?? text };
  const messages = [...asked, answer];
  const bytes = Buffer.byteLength(JSON.stringify(messages));
  return { statementId, index, tokens, messages: bytes > CHAT_BYTES_MAX ? [] : messages };
}
