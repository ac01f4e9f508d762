/** Messages to and from the thread of a chat template. */
import type { ChatMessage } from '@stp/config/records';

export interface TemplateData {
  readonly source: string;
  /** Variables of the template beside the chat: `bos_token`, `eos_token`. */
  readonly names: Readonly<Record<string, string>>;
}

export type TemplateRequest = { readonly messages: readonly ChatMessage[] };
export type TemplateAnswer = { readonly text: string } | { readonly problem: string };
