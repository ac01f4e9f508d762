/** The text of a certified and kept theorem, printed anew from the screen's reading, exactly as it was checked. */
import { StpError } from '../../data/errors.ts';
import { LIBRARY_HEADER } from './header.ts';
import { screenHeader } from './screen/screen-header.ts';
import { screenProof } from './screen/screen-proof.ts';
import { screenStatement } from './screen/screen-statement.ts';

export const GROWN_NAMESPACE = 'Grown';

export interface GrownTheorem {
  /** Fully qualified, `Grown.g17`. */
  readonly name: string;
  readonly round: number;
  readonly header: string | null;
  /** `theorem ANYTHING BINDERS : TYPE`, screened. */
  readonly statement: string;
  /** Tactic block, certified. */
  readonly proof: string;
}

/**
 * `theorem NAME BINDERS : TYPE := by` and the proof, under another name; universe parameters stay with it. Both are printed
 * from their tokens, as they were when they were checked. STP1402 for what the screen refuses:
 * none such was ever certified.
 */
export function theoremText(
  name: string,
  { statement, proof }: { readonly statement: string; readonly proof: string },
): string {
  return `theorem ${name}${signatureOf(statement)} := by\n${proofOf(proof)}`;
}

function proofOf(proof: string): string {
  const screened = screenProof(proof);
  if (!screened.accepted) throw notScreened('proof', screened.refusal.reason, proof);
  return screened.text;
}

/** What stands after the name in a statement: binders and type. STP1402 for a statement that the screen refuses. */
export function signatureOf(statement: string): string {
  const screened = screenStatement(statement);
  if (!screened.accepted) throw notScreened('statement', screened.refusal.reason, statement);
  return screened.signature;
}

/** The header of a kept proof as Lean gets it. STP1402 for a header that the screen refuses. */
export function headerOf(header: string | null): string {
  if (header === null) return LIBRARY_HEADER;
  const screened = screenHeader(header);
  if (!screened.accepted) throw notScreened('header', screened.reason, header);
  return screened.text;
}

function notScreened(what: string, reason: string, text: string): StpError {
  return new StpError(
    'STP1402',
    `the ${what} of a kept proof is refused: ${reason}: ${text.slice(0, 200)}`,
    'The record was changed after it was certified, or by an earlier version: restore it, or start the run again.',
  );
}
