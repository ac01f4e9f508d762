/** Screens an untrusted tactic block and indents it for a file. */
import { PROOF_CHARS_MAX } from '@stp/config/records';
import { cutEnding } from './proof-ending.ts';
import { type Refusal, refuse, screenText } from './screen-text.ts';

/** Column of the first token of each tactic block in a checked file. */
export const PROOF_COLUMN = 2;

/** Words that datasets often write before the tactic block; no tactic begins with them. */
const BEFORE_THE_BLOCK: ReadonlySet<string> = new Set(['by', ':']);

export type ScreenedProof =
  | {
      readonly accepted: true;
      /**
       * The block printed from its tokens, the first at `PROOF_COLUMN`, without blank lines at the beginning and end.
       */
      readonly text: string;
      /** The clauses after the block, `termination_by` and `decreasing_by`. Missing if there are none. */
      readonly ending?: string;
      /**
       * Number of lines removed before `text`'s first line. `columnsAdded` is the number of columns added to each line.
       */
      readonly linesDropped: number;
      readonly columnsAdded: number;
    }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * Refuses text that a proof never needs; otherwise returns the block, to be written after `(by` and a line break.
 *
 * The block moves as a whole: its first token moves to column 2, or as near to it as possible without moving a line
 * below column 0, and every other line moves by the same number of columns. So a block written at column 0, where its
 * lines would stand below the theorem, and one written at column 4 mean the same. Comments are removed, and no token
 * spans lines. `names` is as in `screenText`.
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
  // Do not move so far to the left that lines with different columns would meet in column 0.
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
