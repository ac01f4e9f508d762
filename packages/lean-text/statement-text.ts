/**
 * Reads the text of a statement just far enough to cut it: brackets, literals, names, and the `:=` that begins a proof.
 * Knows that `let` and `have` have a `:=` of their own, and that those of binders and structure literals are in
 * brackets; it does not know terms or notations.
 */

import { BINDING_WORDS, proofSigns } from './proof-start.ts';

/** The closing bracket of each opening one. */
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
/** A string or a quoted name that does not end reaches to the end, or to that of its line: nothing is read twice. */
const PIECE =
  /(\s+)|([\p{L}_][\p{L}\p{N}_'!?₀-₉]*(?:\.[\p{L}_][\p{L}\p{N}_'!?₀-₉]*)*)|(«[^»\n]*»?)|("(?:[^"\\]|\\.?)*"?|(?<!\])'(?:\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)|[^\\'])')|(:=)|(::)|(.)/gsu;
/** The kind of each group of `PIECE`. */
const KINDS = ['space', 'word', 'quoted', 'string', 'assign', 'cons', 'other'] as const;

export interface TextPiece {
  readonly kind: (typeof KINDS)[number];
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly at: number;
  /** Brackets open before the piece; a bracket counts as outside itself. */
  readonly depth: number;
}

/** The text in pieces, in order; where brackets do not balance, up to the first that closes nothing. */
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

/** Index of the piece that begins a proof: the first `:=` outside brackets that no `let` or `have` asks for; -1: none. */
export function proofAssignment(pieces: readonly TextPiece[]): number {
  const isProof = proofSigns();
  return pieces.findIndex(({ depth, text }) => depth === 0 && isProof(text));
}

/** Index of the `:` outside brackets that separates binders from the type; -1: none. */
export function typeColon(pieces: readonly TextPiece[]): number {
  return pieces.findIndex((piece) => piece.kind === 'other' && piece.text === ':' && piece.depth === 0);
}

/**
 * White space made single. A line end that ends the value of a `let` (the next line starts no further right than the
 * `let`) becomes the `;` that Lean wants on one line.
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
