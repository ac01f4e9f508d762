/** The chat behind one sample, kept while it may be revised (`prover.mode` `revise`). */
import { z } from 'zod';
import type { PromptFormat } from '../../data/schemas/prompt-format.ts';
import { type ChatMessage, chatMessageSchema } from '../../data/schemas/records.ts';
import type { Completion } from '../../model/generator.ts';
import { afterThinking } from '../../selfplay/formats/code-blocks.ts';

export const answerRecordSchema = z.strictObject({
  statementId: z.string(),
  /** Of the sample. */
  index: z.number().int().nonnegative(),
  /** Of this answer. */
  tokens: z.number().int().nonnegative(),
  /** Without the system text; the answer is the last. Its thinking is left out, as chat templates leave it out. */
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
  return { statementId, index, tokens, messages: [...asked, answer] };
}
