/** Screens an untrusted tactic block and brings it to the column at which it is put into a file. */
import { PROOF_CHARS_MAX } from '../../data/schemas/records.ts';
import { type Refusal, refuse, screenText } from './screen-text.ts';
import type { Token } from './tokenizer.ts';

/** Column of the first token of every tactic block in a checked file. */
export const PROOF_COLUMN = 2;

export type ScreenedProof =
  | {
      readonly accepted: true;
      /** The block, its first token at `PROOF_COLUMN`, without blank lines at its ends. */
      readonly text: string;
      /** Line of `text`'s first line in the proof as it came, less one; and columns added to every line. */
      readonly linesDropped: number;
      readonly columnsAdded: number;
      readonly tokens: readonly Token[];
    }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * Refuses what a proof never needs, else gives the block ready to be put after `(by` on a line of its own.
 *
 * The block moves as a whole: the column of its first token becomes 2 and every other line moves by as many columns (a line
 * that would move left of column 0 stays at 0). Lines that begin inside a string literal do not move. So a block written
 * at column 0, where its lines would stand under the theorem, and one written at column 4 mean the same.
 */
export function screenProof(proof: string): ScreenedProof {
  if (proof.length > PROOF_CHARS_MAX)
    return screenText(proof, PROOF_CHARS_MAX) as { accepted: false; refusal: Refusal };
  const text = proof.replaceAll('\r\n', '\n');
  const screened = screenText(text, PROOF_CHARS_MAX);
  if (!screened.accepted) return screened;
  const first = screened.tokens.find((token) => token.kind !== 'comment');
  if (first === undefined) return refuse(text, { offset: 0, reason: 'is empty' });
  return { accepted: true, tokens: screened.tokens, ...layOut(text, screened.tokens, first) };
}

function layOut(text: string, tokens: readonly Token[], first: Token) {
  const lineStart = text.lastIndexOf('\n', first.start - 1) + 1;
  const columnsAdded = PROOF_COLUMN - [...text.slice(lineStart, first.start)].length;
  const inString = linesWithinStrings(text, tokens);
  const lines = text.split('\n').map((line, index) => (inString.has(index) ? line : shift(line, columnsAdded)));
  const linesDropped = lines.findIndex((line) => line.trim() !== '');
  let end = lines.length;
  while (lines[end - 1]!.trim() === '' && !inString.has(end - 1)) end -= 1;
  return { text: lines.slice(linesDropped, end).join('\n'), linesDropped, columnsAdded };
}

function shift(line: string, columns: number): string {
  if (line.trim() === '') return '';
  if (columns >= 0) return ' '.repeat(columns) + line;
  const blanks = line.length - line.trimStart().length;
  return line.slice(Math.min(-columns, blanks));
}

/** Indexes (0-based) of the lines whose first character is inside a string literal. */
function linesWithinStrings(text: string, tokens: readonly Token[]): Set<number> {
  const found = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'string' || !token.text.includes('\n')) continue;
    const firstLine = text.slice(0, token.start).split('\n').length - 1;
    const breaks = token.text.split('\n').length - 1;
    for (let line = 1; line <= breaks; line += 1) found.add(firstLine + line);
  }
  return found;
}
