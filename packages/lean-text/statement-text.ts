/**
 * Splits the text of a statement at brackets, literals, names, and the `:=` that begins a proof. A `:=` that belongs to
 * `let` or `have`, or is within the brackets of binders and structure literals, does not count. Terms and notations are
 * not parsed.
 */

import { BINDING_WORDS, proofSigns } from './proof-start.ts';

/** The closing bracket for each opening bracket. */
export const CLOSERS: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '⟨': '⟩',
  '⦃': '⦄',
  '⟦': '⟧',
  '‹': '›',
};
const ALL_CLOSERS: ReadonlySet<string> = new Set(Object.values(CLOSERS));
/** An unterminated string or quoted name extends to the end of the text or of its line, so nothing is read twice. */
const PIECE =
  /(\s+)|([\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*)|(«[^»\n]*»?)|("(?:[^"\\]|\\.?)*"?|(?<!\])'(?:\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|[^\\'])')|(:=)|(::)|(.)/gsu;
/** Kinds of the groups of `PIECE`. */
const KINDS = ['space', 'word', 'quoted', 'string', 'assign', 'cons', 'other'] as const;

export interface TextPiece {
  readonly kind: (typeof KINDS)[number];
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly at: number;
  /** Number of brackets open before the piece; a bracket counts as outside itself. */
  readonly depth: number;
}

/** Returns the pieces in order. If brackets do not balance, stops at the first unmatched closing bracket. */
export function statementPieces(text: string): { readonly pieces: readonly TextPiece[]; readonly balanced: boolean } {
  const pieces: TextPiece[] = [];
  const open: string[] = [];
  for (const match of text.matchAll(PIECE)) {
    const kind = KINDS[match.indexOf(match[0], 1) - 1]!;
    const piece = match[0];
    if (kind === 'other' && ALL_CLOSERS.has(piece) && open.pop() !== piece) return { pieces, balanced: false };
    pieces.push({ kind, text: piece, at: match.index, depth: open.length });
    if (kind === 'other' && CLOSERS[piece] !== undefined) open.push(CLOSERS[piece]);
  }
  return { pieces, balanced: open.length === 0 };
}

/**
 * Returns the index of the piece that begins a proof: the first `:=` outside brackets that belongs to no `let` or
 * `have`; -1 if there is none.
 */
export function proofAssignment(pieces: readonly TextPiece[]): number {
  const isProof = proofSigns();
  return pieces.findIndex(({ depth, text }) => depth === 0 && isProof(text));
}

/** Returns the index of the `:` outside brackets that separates binders from the type; -1 if there is none. */
export function typeColon(pieces: readonly TextPiece[]): number {
  return pieces.findIndex((piece) => piece.kind === 'other' && piece.text === ':' && piece.depth === 0);
}

/**
 * Collapses white space. A line end that ends the value of a `let` (the next line is indented no deeper than the `let`)
 * becomes the `;` that Lean requires on one line.
 */
export function onOneLine(text: string): string {
  if (!text.includes('\n')) return text.replace(/\s+/gu, ' ').trim();
  const { pieces, balanced } = statementPieces(text);
  if (!balanced || !pieces.some((piece) => BINDING_WORDS.has(piece.text))) return text.replace(/\s+/gu, ' ').trim();
  const columnOf = (at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1);
  const lets: { column: number; depth: number }[] = [];
  let previous = '';
  let result = '';
  for (const piece of pieces) {
    if (piece.kind === 'space') {
      const next = piece.at + piece.text.length;
      const binding = lets.at(-1);
      const ends =
        piece.text.includes('\n') &&
        next < text.length &&
        binding !== undefined &&
        piece.depth === binding.depth &&
        columnOf(next) <= binding.column;
      if (ends) lets.pop();
      result += ends && previous !== ';' ? '; ' : ' ';
      continue;
    }
    while (lets.length > 0 && piece.depth < lets.at(-1)!.depth) lets.pop();
    if (BINDING_WORDS.has(piece.text)) lets.push({ column: columnOf(piece.at), depth: piece.depth });
    if (piece.text === ';' && piece.depth === lets.at(-1)?.depth) lets.pop();
    previous = piece.text;
    result += piece.text;
  }
  return result.replace(/\s+/gu, ' ').trim();
}
