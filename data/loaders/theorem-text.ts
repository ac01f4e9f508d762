/**
 * Turns a dataset's formal statement into the bare signature of our records. Knows the shapes that the public datasets
 * use (proof left out, `sorry`, `:= by`, `:=`, comments above); it does not parse Lean.
 */
import { declarationHead } from '../schemas/declaration-head.ts';

export interface TheoremText {
  readonly name: string;
  /** `theorem NAME BINDERS : TYPE`, without `:=`. */
  readonly statement: string;
}

const LEADING_COMMENT = /^(?:\s+|--[^\n]*(?:\n|$)|\/-(?:[^-]|-(?!\/))*-\/)/u;
const PROOF_OPENING = /:=\s*(?:by\s*)?$/u;

/**
 * The theorem in `formalStatement`, or null where there is no theorem. Rule (STP's loader, then ours): the text before the last
 * `sorry`, trimmed, without a trailing `:= by` or `:=`, and without comments before the declaration; `lemma` (Mathlib's
 * word for the same) becomes `theorem`. Anything before the theorem that is not a comment makes it no theorem.
 */
export function theoremText(formalStatement: string): TheoremText | null {
  const sorry = formalStatement.lastIndexOf('sorry');
  let text = (sorry < 0 ? formalStatement : formalStatement.slice(0, sorry)).trim();
  for (let comment = LEADING_COMMENT.exec(text); comment !== null; comment = LEADING_COMMENT.exec(text)) {
    text = text.slice(comment[0].length);
  }
  text = text.replace(PROOF_OPENING, '').trimEnd();
  const name = declarationHead(text)?.name;
  if (name === undefined || !text.includes(':')) return null;
  return { name, statement: text.replace(/^lemma\b/u, 'theorem') };
}
