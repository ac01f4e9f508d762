/** Screens an untrusted tactic block and indents it to the column that it has in a file. */
import { PROOF_CHARS_MAX } from '@stp/config/records';
import { cutEnding } from './proof-ending.ts';
import { type Refusal, refuse, screenText } from './screen-text.ts';

/** Column of the first token of every tactic block in a checked file. */
export const PROOF_COLUMN = 2;

/** Words that data sets often write before the tactic block; no tactic begins so. */
const BEFORE_THE_BLOCK: ReadonlySet<string> = new Set(['by', ':']);

export type ScreenedProof =
  | {
      readonly accepted: true;
      /** The block printed from its tokens, the first of them at `PROOF_COLUMN`, without blank lines at its ends. */
      readonly text: string;
      /** The text behind the block, `termination_by` and `decreasing_by`; missing if there is none. */
      readonly ending?: string;
      /** Line of `text`'s first line in the proof as it came, less one; and columns added to every line. */
      readonly linesDropped: number;
      readonly columnsAdded: number;
    }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * Refuses what a proof never needs, else gives the block ready to be put after `(by` on a line of its own.
 *
 * The block moves as a whole: the column of its first token becomes 2, or as near to it as leaves every line at column 0 or
 * behind, and every other line moves by as many columns. So a block written at column 0, where its lines would stand under the
 * theorem, and one written at column 4 mean the same. Comments are gone, and no token reaches over a line. `names`: as of
 * `screenText`.
 */
export function screenProof(proof: string, names?: ReadonlySet<string>): ScreenedProof {
  const text = proof.length > PROOF_CHARS_MAX ? proof : proof.replaceAll('\r\n', '\n');
  const screened = screenText(text, PROOF_CHARS_MAX, 'options', names);
  if (!screened.accepted) return screened;
  const [first] = screened.tokens;
  if (first === undefined) return refuse(text, { offset: 0, reason: 'is empty' });
  if (BEFORE_THE_BLOCK.has(first.text))
    return refuse(text, {
      offset: first.start,
      reason: 'begins with by or := : write the tactics alone',
    });
  const cut = cutEnding(screened.printed);
  if ('reason' in cut) return refuse(screened.printed, cut);
  return { accepted: true, ...layOut(cut.block), ...(cut.ending === undefined ? {} : { ending: cut.ending }) };
}

function layOut(printed: string) {
  const lines = printed.split('\n');
  const linesDropped = lines.findIndex((line) => line !== '');
  // Not so far to the left that lines of different columns would come together in column 0.
  const least = Math.min(...lines.filter((line) => line !== '').map(blanksBefore));
  const columnsAdded = Math.max(PROOF_COLUMN - blanksBefore(lines[linesDropped]!), 0 - least);
  const last = lines.findLastIndex((line) => line !== '');
  const text = lines
    .slice(linesDropped, last + 1)
    .map((line) => shift(line, columnsAdded))
    .join('\n');
  return { text, linesDropped, columnsAdded };
}

function shift(line: string, columns: number): string {
  if (line === '') return '';
  return columns >= 0 ? ' '.repeat(columns) + line : line.slice(-columns);
}

function blanksBefore(line: string): number {
  return line.length - line.trimStart().length;
}
