/** Tokens of prompts as an engine reads them. A tokenizer of our own says them at once, an engine's process when it answers. */
export interface PromptTokens {
  /** Token ids of a text from its start. */
  encodePrompt(text: string): readonly number[] | Promise<readonly number[]>;
  decode(ids: readonly number[]): string | Promise<string>;
}
