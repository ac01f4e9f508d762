/**
 * Prints a text from its tokens. Each token keeps its line and its column (in code points), because Lean compares
 * columns. Everything else becomes blanks and line breaks, and no line ends with a blank. Two things shift later tokens
 * on their line: a literal whose characters become escapes, and a tab, which Lean does not accept.
 */

import type { Token } from '@stp/lean-text';
import { printLiteral } from './literals.ts';

/** Distance of tab stops in columns, as in Lean's editors. */
const TAB_COLUMNS = 2;

export function printTokens(text: string, tokens: readonly Token[]): string {
  const parts: string[] = [];
  let end = 0;
  let column = 0;
  const skip = (gap: string): void => {
    for (const character of gap) {
      const width = character === '\t' ? TAB_COLUMNS - (column % TAB_COLUMNS) : 1;
      parts.push(character === '\n' ? '\n' : ' '.repeat(width));
      column = character === '\n' ? 0 : column + width;
    }
  };
  for (const token of tokens) {
    if (token.kind === 'comment') continue;
    skip(text.slice(end, token.start));
    const isLiteral = token.kind === 'string' || token.kind === 'character';
    parts.push(isLiteral ? (printLiteral(token) ?? token.text) : token.text);
    // A literal over several lines is printed on its first line; the text after it keeps its line.
    const lineEnd = token.text.indexOf('\n');
    if (isLiteral && lineEnd >= 0) skip(token.text.slice(lineEnd));
    else column += [...token.text].length;
    end = token.end;
  }
  skip(text.slice(end));
  const lines = parts.join('').split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}
