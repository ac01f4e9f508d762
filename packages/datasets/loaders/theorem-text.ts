/**
 * Converts a dataset's formal statement to the bare signature of our records: the text before its proof, without
 * comments. Reads words, brackets, strings and comments; does not parse Lean.
 */
import {
  declarationHead,
  maskSource,
  proofAssignment,
  statementPieces,
  type TextPiece,
  typeColon,
} from '@stp/lean-text';

export interface TheoremText {
  readonly name: string;
  /** `theorem NAME BINDERS : TYPE`, without `:=` and without comments. */
  readonly statement: string;
}

/** Words that take the following match arms. */
const TAKES_ARMS: ReadonlySet<string> = new Set(['match', 'fun', 'λ', 'nomatch', 'let', 'have', 'if']);

/**
 * Returns the theorem in `formalStatement`, or null if there is none. Its statement ends where a proof begins: at the
 * `:=` that belongs to no `let` or similar word, at the arms of a proof by cases, or at `where`. `lemma` (Mathlib's
 * synonym) becomes `theorem`. A text with anything but comments before the theorem is refused.
 */
export function theoremText(formalStatement: string): TheoremText | null {
  const { code, withoutComments } = maskSource(formalStatement);
  const start = code.length - code.trimStart().length;
  const head = declarationHead(withoutComments.slice(start));
  if (head === null) return null;
  const body = start + head.text.length;
  const { pieces } = statementPieces(code.slice(body));
  const colon = typeColon(pieces);
  const end = proofStart(pieces);
  if (colon < 0 || (end >= 0 && end < colon)) return null;
  const signature = withoutComments.slice(body, end < 0 ? undefined : body + pieces[end]!.at);
  return {
    name: head.name,
    statement: withoutBlankEnds(head.text.trimStart().replace(/^lemma\b/u, 'theorem') + signature),
  };
}

/** Returns the index of the piece that begins a proof, or -1. */
function proofStart(pieces: readonly TextPiece[]): number {
  const assignment = proofAssignment(pieces);
  const upTo = assignment < 0 ? pieces.length : assignment;
  const colon = typeColon(pieces);
  for (const [index, { text, kind, depth }] of pieces.slice(0, upTo).entries()) {
    if (depth > 0 || index < colon) continue;
    if (kind === 'word' && text === 'where') return index;
    if (kind === 'word' && TAKES_ARMS.has(text)) break;
    if (text === '|' && isArm(pieces.slice(index + 1, upTo))) return index;
  }
  return assignment;
}

/** Returns whether a `=>` comes before the next bar. In an absolute value there is none. */
function isArm(rest: readonly TextPiece[]): boolean {
  const outside = rest.filter(({ depth }) => depth === 0);
  const arrow = outside.findIndex(({ text }, index) => text === '=' && outside[index + 1]?.text === '>');
  const bar = outside.findIndex(({ text }) => text === '|');
  return arrow >= 0 && (bar < 0 || arrow < bar);
}

/** Returns a text without its comments. */
export const bareText = (text: string): string => withoutBlankEnds(maskSource(text).withoutComments);

/** Removes blanks at line ends, and the empty lines that comments leave. */
function withoutBlankEnds(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
    .trim();
}
