/**
 * Prints a text anew from its tokens. Each token keeps its line and its column (in characters), because Lean reads
 * columns; all other characters are blanks and line breaks, and no line ends with a blank.
 */
import type { Token } from './tokenizer.ts';

export function printTokens(text: string, tokens: readonly Token[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const token of tokens) {
    if (token.kind === 'comment') continue;
    parts.push(blank(text.slice(end, token.start)), token.text);
    end = token.end;
  }
  parts.push(blank(text.slice(end)));
  const lines = parts.join('').split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A blank for each character (not for each UTF-16 unit) other than a line break. */
function blank(text: string): string {
  return text.replace(/[^\n]/gu, ' ');
}
