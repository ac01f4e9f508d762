/** Tokens of prompts as an engine encodes them. Our own tokenizer answers at once, an engine's process later. */
export interface PromptTokens {
  /** Token ids of a text from its start. */
  encodePrompt(text: string): readonly number[] | Promise<readonly number[]>;
  decode(ids: readonly number[]): string | Promise<string>;
}
